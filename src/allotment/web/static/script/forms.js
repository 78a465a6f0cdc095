// A form marked data-once is sent once: its button says so and waits. The server would ignore a second one.
export function enhanceForms() {
  for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) return event.preventDefault();
      form.dataset.sent = "yes";
      (event.submitter ?? form.querySelector("button")).setAttribute("aria-busy", "true");
    });
  }
  // Back from the next page, the browser may show this one as it was left.
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      form.querySelector("button[aria-busy]")?.removeAttribute("aria-busy");
    }
  });
}

// A toast can be undone for ten seconds; then it goes.
export function enhanceToasts() {
  for (const toast of document.querySelectorAll("[data-toast]")) {
    let timer = setTimeout(() => toast.remove(), 10_000);
    const stay = () => clearTimeout(timer);
    toast.addEventListener("focusin", stay);
    toast.addEventListener("pointerenter", stay);
  }
}
