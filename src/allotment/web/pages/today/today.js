// Orders for the day: an answer at once whether they fit. Without script, a button gives the same answer.
import { sendWaitingReports } from "./outbox.js";

for (const form of document.querySelectorAll("[data-check]")) enhanceOrders(form);
sendWaitingReports();

function enhanceOrders(form) {
  const lines = form.querySelector("[data-lines]");
  const answer = form.querySelector("[data-answer]");
  const add = form.querySelector("[data-add]");
  form.querySelector("[data-check-button]").hidden = true;
  add.hidden = false;
  // One empty line is enough where more can be added.
  const blank = () => [...lines.children].filter((line) => !line.querySelector("input").value);
  for (const line of blank().slice(1)) line.remove();
  for (const line of lines.children) showAmount(line);

  add.addEventListener("click", () => {
    const last = lines.lastElementChild;
    const line = last.cloneNode(true);
    const number = Number(last.querySelector("input").name.split(":")[1]) + 1;
    for (const field of line.querySelectorAll("input, select")) {
      const kind = field.name.split(":")[0];
      field.name = `${kind}:${number}`;
      field.id = `${kind}-${number}${form.dataset.suffix}`;
      field.value = field.tagName === "SELECT" ? field.options[0].value : "";
      field.previousElementSibling.htmlFor = field.id;
    }
    lines.append(line);
    showAmount(line);
    line.querySelector("input").focus();
  });

  let timer = null;
  let latest = 0;
  form.addEventListener("input", (event) => {
    if (event.target.matches("[data-kind]")) showAmount(event.target.closest("[data-order]"));
    clearTimeout(timer);
    timer = setTimeout(check, 300);
  });

  async function check() {
    const mine = ++latest;
    try {
      const sent = { method: "POST", body: new FormData(form), headers: { accept: "application/json" } };
      const found = await fetch(form.dataset.check, sent);
      if (!found.ok || mine !== latest) return;
      const { fits, sentence } = await found.json();
      answer.textContent = sentence;
      answer.classList.toggle("orders__answer--fits", fits);
    } catch {
      // Without a connection there is no answer yet; asking checks the orders again.
    }
  }
}

function showAmount(line) {
  const amount = line.querySelector("[data-amount]");
  amount.hidden = line.querySelector("[data-kind]").value !== "fix";
  if (amount.hidden) amount.value = "";
}
