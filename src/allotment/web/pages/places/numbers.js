// The numbers beside a chart are folded on a phone, and open where there is room.
if (matchMedia("(min-width: 48rem)").matches) {
  for (const fold of document.querySelectorAll("details[data-open-wide]")) fold.open = true;
}

// A page that was opened before its numbers were computed is opened again when they are there.
let touched = false;
addEventListener("input", () => {
  touched = true;
});
const pending = document.querySelector("[data-pending]");

async function look() {
  if (touched) return; // what was typed is not thrown away
  try {
    const answer = await fetch(`${pending.dataset.pending}/state`, { cache: "no-store" });
    if (!answer.ok || (await answer.json()).ended) return location.reload();
  } catch {
    // The server may be restarting: the next look tells.
  }
  setTimeout(look, 1000);
}

if (pending) setTimeout(look, 1000);
