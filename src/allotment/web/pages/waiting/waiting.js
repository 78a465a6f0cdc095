// Asks how far the work is, and opens the page again when it has ended. A lost connection is tried again.
const box = document.querySelector("[data-job]");

async function look() {
  try {
    const answer = await fetch(`${box.dataset.job}/state`, { cache: "no-store" });
    if (!answer.ok) return location.reload();
    const state = await answer.json();
    if (state.ended) return location.replace(box.dataset.job);
    box.querySelector("[data-note]").textContent = state.note;
    box.querySelector("[data-seconds]").textContent = state.seconds;
  } catch {
    // The server may be restarting: the next look tells.
  }
  setTimeout(look, 1000);
}

if (box) setTimeout(look, 500);
