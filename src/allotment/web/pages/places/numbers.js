// The numbers beside a chart are folded on a phone, and open where there is room.
if (matchMedia("(min-width: 48rem)").matches) {
  for (const fold of document.querySelectorAll("details[data-open-wide]")) fold.open = true;
}

// A page that was opened before its numbers were computed says when they are there. It does not open itself
// again, because somebody may be typing.
async function look(pending) {
  try {
    const answer = await fetch(`${pending.dataset.pending}/state`, { cache: "no-store" });
    if (!answer.ok || (await answer.json()).ended) return offer(pending);
  } catch {
    // The server may be restarting: the next look tells.
  }
  return setTimeout(look, 1000, pending);
}

function offer(pending) {
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show what was computed";
  link.addEventListener("click", (event) => {
    event.preventDefault(); // an address with a # would only scroll
    location.reload();
  });
  pending.replaceChildren(link);
}

for (const pending of document.querySelectorAll("[data-pending]")) {
  if (pending.dataset.pending) setTimeout(look, 1000, pending);
  else offer(pending); // it was done before the page was
}
