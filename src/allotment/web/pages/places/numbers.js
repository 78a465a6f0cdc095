// The numbers beside a chart are folded on a phone, and open where there is room.
if (matchMedia("(min-width: 48rem)").matches) {
  for (const fold of document.querySelectorAll("details[data-open-wide]")) fold.open = true;
}

// A page that was opened before its numbers were computed says when they are there. It does not open itself
// again, because somebody may be typing.
const pending = document.querySelector("[data-pending]");

async function look() {
  try {
    const answer = await fetch(`${pending.dataset.pending}/state`, { cache: "no-store" });
    if (!answer.ok || (await answer.json()).ended) return offer();
  } catch {
    // The server may be restarting: the next look tells.
  }
  setTimeout(look, 1000);
}

function offer() {
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show what was computed";
  pending.replaceChildren(link);
}

if (pending) setTimeout(look, 1000);
