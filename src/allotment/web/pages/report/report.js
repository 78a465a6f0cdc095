// The report of a plan: a tap is kept and sent by the outbox, and its place says how far it is.
import { sendWaitingReports } from "./outbox.js";
import { enhanceSearch } from "./report_search.js";

const UNDO_SECONDS = 10;
const form = document.querySelector("[data-report]");
const plan = form?.dataset.report ?? null;
const outbox = sendWaitingReports(plan);
if (form && outbox) enhanceReport();

function enhanceReport() {
  const rows = [...form.querySelectorAll("[data-tap]")];
  const byPlace = new Map(rows.map((row) => [row.dataset.place, row]));
  const undoable = new Map(); // by place: what was reported before, until when
  let undoableQuiet = null;
  const countFound = enhanceSearch(form, rows);

  const words = (losses) => {
    if (losses === "" || losses === null) return "not reported";
    if (String(losses) === "0") return form.dataset.quiet.toLowerCase();
    return form.dataset.yesOrNo ? form.dataset.something.toLowerCase() : String(losses);
  };
  const last = (row) => outbox.of(plan, row.dataset.place).at(-1);
  const stateOf = (row) => ({ losses: row.dataset.losses, amount: row.dataset.amountNow });

  // What a place is about to be: its last report that is not acknowledged yet, or what is recorded.
  function chosen(row) {
    const now = stateOf(row);
    for (const draft of outbox.of(plan, row.dataset.place)) {
      if (draft.saysLosses) now.losses = draft.losses === null ? "" : String(draft.losses);
      if (draft.amount !== null) now.amount = draft.amount;
      else if (draft.saysLosses && draft.losses === null) now.amount = row.dataset.planned;
    }
    return now;
  }

  function say(row, losses, amount = null, isFurther = false) {
    const saysLosses = losses !== undefined;
    const count = !saysLosses || losses === "" ? null : losses;
    const knew = Number(row.dataset.event);
    outbox.add({ plan, places: [row.dataset.place], losses: count, saysLosses, amount, knew, keep: false, before: stateOf(row) }, isFurther);
  }

  function tap(row, what) {
    if (what === "more" || what === "amount") return openPanel(row, what);
    const now = chosen(row);
    const problem = last(row)?.problem;
    if (now.losses === what && !problem) return undefined; // a second tap says nothing new
    if (what === "" && stateOf(row).losses === "" && stateOf(row).amount === row.dataset.planned) {
      // Nothing was recorded: what was never sent is forgotten.
      const drafts = outbox.of(plan, row.dataset.place);
      if (drafts.every((each) => !each.tried || each.problem)) return drafts.filter((each) => each.places.length === 1).forEach((each) => outbox.drop(each));
    }
    return say(row, what);
  }

  function undo(row, before) {
    undoable.delete(row.dataset.place);
    const draft = last(row);
    if (draft && !draft.tried && draft.places.length === 1) return outbox.drop(draft);
    const isOther = before.amount !== chosen(row).amount;
    say(row, before.losses, before.losses !== "" && isOther ? before.amount : null);
    // Withdrawing what happened also forgets the amount: it is told again.
    if (before.losses === "" && before.amount !== row.dataset.planned) say(row, undefined, before.amount, true);
    return undefined;
  }

  function openPanel(row, what) {
    let panel = row.querySelector("[data-panel]");
    const isOpen = panel && !panel.hidden;
    if (!panel) {
      panel = document.querySelector("[data-panel-template]").content.firstElementChild.cloneNode(true);
      for (const field of panel.querySelectorAll("input")) {
        field.id = field.id.replace("new", row.dataset.index);
        field.previousElementSibling.htmlFor = field.id;
      }
      row.querySelector(".tap__buttons").after(panel);
      const now = chosen(row);
      const more = panel.querySelector("[data-more]");
      if (more) more.value = now.losses;
      panel.querySelector("[data-amount]").value = now.amount;
    }
    panel.hidden = false;
    if (what) {
      const field = panel.querySelector(what === "more" ? "[data-more]" : "[data-amount]");
      if (isOpen && document.activeElement === field) closePanel(row);
      else {
        field.focus();
        field.select();
      }
    }
    return panel;
  }

  function closePanel(row) {
    row.querySelector("[data-panel]")?.remove();
    outbox.typed.remove(`${plan}:${row.dataset.place}`);
  }

  function discard(row, draft) {
    closePanel(row);
    outbox.drop(draft);
  }

  function savePanel(row) {
    const panel = row.querySelector("[data-panel]");
    const more = panel.querySelector("[data-more]")?.value.trim();
    const amount = panel.querySelector("[data-amount]").value.trim();
    const now = chosen(row);
    const newLosses = more !== undefined && more !== now.losses && more !== "" ? more : undefined;
    const newAmount = amount !== "" && Number(amount.replace(",", ".")) !== Number(now.amount) ? amount : null;
    if (newLosses !== undefined || newAmount !== null) say(row, newLosses, newAmount);
    closePanel(row);
    row.querySelector('[data-what="amount"]').focus();
  }

  function othersQuiet() {
    const places = rows.filter((row) => row.dataset.losses === "" && !outbox.of(plan, row.dataset.place).length);
    if (!places.length) return;
    const dialog = document.querySelector("[data-confirm]");
    const many = `${places.length} ${places.length === 1 ? "place" : "places"}`;
    dialog.querySelector("h2").textContent = `Report ${many} as ${words("0")}?`;
    dialog.querySelector(".confirm__places").textContent = places.map((row) => row.dataset.place).join(", ");
    dialog.querySelector("[data-no]").onclick = () => dialog.close();
    dialog.querySelector("[data-yes]").onclick = () => {
      dialog.close();
      const named = places.map((row) => row.dataset.place);
      outbox.add({ plan, places: named, losses: "0", saysLosses: true, amount: null, knew: 0, keep: true, before: null });
    };
    dialog.showModal();
  }

  function undoQuiet() {
    const { places, event } = undoableQuiet;
    undoableQuiet = null;
    outbox.add({ plan, places, losses: null, saysLosses: true, amount: null, knew: event, keep: false, before: null });
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    event.preventDefault();
    const row = button.closest("[data-tap]");
    if ("others" in button.dataset) othersQuiet();
    else if (row && button.dataset.what === "typed") savePanel(row);
    else if (row && "what" in button.dataset) tap(row, button.dataset.what);
  });
  form.addEventListener("keydown", (event) => {
    const row = event.target.closest("[data-tap]");
    if (!row || event.target.tagName !== "INPUT") return;
    if (event.key === "Enter") {
      event.preventDefault();
      savePanel(row);
    } else if (event.key === "Escape") closePanel(row);
  });
  // What is typed and not saved yet stays through a reload, too.
  form.addEventListener("input", (event) => {
    const row = event.target.closest("[data-tap]");
    const panel = event.target.closest("[data-panel]");
    if (!row || !panel) return;
    const more = panel.querySelector("[data-more]")?.value ?? "";
    outbox.typed.put(`${plan}:${row.dataset.place}`, { more, amount: panel.querySelector("[data-amount]").value });
  });

  outbox.addEventListener("answer", (event) => {
    const { draft, said, ok } = event.detail;
    if (draft.plan !== plan) return;
    for (const now of said.rows ?? []) {
      const row = byPlace.get(now.place);
      if (!row) continue;
      Object.assign(row.dataset, { losses: now.losses ?? "", amountNow: now.amount, event: now.event, saved: now.saved, was: now.was, note: now.note });
      if (ok && !draft.keep && draft.before && draft.places.length === 1) remember(undoable, now.place, draft.before);
      else undoable.delete(now.place);
    }
    if (ok && draft.keep) {
      const event = Math.max(0, ...said.rows.filter((row) => said.mine.includes(row.place)).map((row) => row.event));
      undoableQuiet = { places: said.mine, event, until: Date.now() + UNDO_SECONDS * 1000 };
      setTimeout(show, UNDO_SECONDS * 1000 + 50);
    }
    // What was typed and is refused can be mended where it was typed.
    if (!ok && said.sentence && !said.overtaken && draft.places.length === 1) openPanel(byPlace.get(draft.places[0]));
    const first = said.rows?.[0];
    if (first) live(said.rows.length > 1 ? `${said.rows.length} places saved` : `${first.place}: ${first.saved || said.sentence}`);
  });

  function remember(where, place, before) {
    where.set(place, { ...before, until: Date.now() + UNDO_SECONDS * 1000 });
    setTimeout(show, UNDO_SECONDS * 1000 + 50);
  }

  const live = (sentence) => (document.querySelector("[data-live]").textContent = sentence);

  function link(label, act, kind = "link") {
    const button = document.createElement("button");
    button.type = "button";
    button.className = kind;
    button.textContent = label;
    button.addEventListener("click", () => {
      const row = button.closest("[data-tap]");
      act();
      row?.querySelector('.tap__button[aria-pressed="true"]')?.focus(); // this button is gone now
    });
    return button;
  }

  function showState(row, drafts) {
    const state = row.querySelector("[data-state]");
    const draft = drafts.at(-1);
    const problem = draft?.problem;
    const parts = [];
    if (problem?.overtaken) {
      const { sentence, theirs, mine } = problem.overtaken;
      const again = draft.saysLosses ? (draft.losses ?? "") : undefined;
      const choice = document.createElement("span");
      choice.className = "tap__choice";
      choice.append(
        link(`Keep ${theirs}`, () => outbox.drop(draft), "button button--small"),
        link(`Replace with ${mine}`, () => say(row, again, draft.amount), "button button--small"),
      );
      parts.push(sentence, choice);
    } else if (problem) {
      parts.push(`${problem.sentence} You chose: ${describe(draft)}.`, link("Discard", () => discard(row, draft)));
    } else if (draft) {
      const waits = { waiting: "Not sent yet - waiting for a connection", "signed out": "Not sent yet - sign in again" };
      parts.push(waits[outbox.state] ?? "Sending …");
      if (draft.places.length === 1 && draft.before) parts.push(link("Undo", () => undo(row, draft.before)));
    } else {
      const { saved, was, note } = row.dataset;
      if (saved) parts.push(`${saved}${was ? `, ${was}` : ""}.${note ? ` ${note}` : ""}`);
      const before = undoable.get(row.dataset.place);
      const isHeld = state.contains(document.activeElement);
      if (before && (before.until > Date.now() || isHeld)) {
        parts.push(link("Undo", () => undo(row, before)));
        if (isHeld) setTimeout(show, 1000);
      }
    }
    const isWaiting = draft && !problem && outbox.state !== "sending";
    state.className = `tap__state${problem ? " tap__state--problem" : isWaiting ? " tap__state--waiting" : ""}`;
    const key = [problem?.sentence, draft?.key, draft?.tried, outbox.state, row.dataset.event, parts.length].join();
    if (state.dataset.shown === key) return; // so that a focused button stays
    state.dataset.shown = key;
    state.replaceChildren(...parts);
  }

  function describe(draft) {
    const said = draft.saysLosses ? [words(draft.losses)] : [];
    return [...said, ...(draft.amount === null ? [] : [`granted ${draft.amount}`])].join(", ");
  }

  function showRow(row, drafts) {
    const now = drafts.length ? chosen(row) : stateOf(row);
    for (const button of row.querySelectorAll(".tap__button")) {
      const { what } = button.dataset;
      const isMore = what === "more" && Number(now.losses) > 2;
      button.setAttribute("aria-pressed", String(what === "more" ? isMore : what === now.losses));
      if (what === "more") button.textContent = isMore ? now.losses : "More";
    }
    const instead = now.amount === row.dataset.planned ? "" : ` instead of ${row.dataset.planned}`;
    row.querySelector("[data-granted]").textContent = `Granted ${now.amount}${instead}`;
    row.querySelector(".tap__granted").setAttribute("aria-label", `Granted ${now.amount} at ${row.dataset.place}, change`);
    row.classList.toggle("tap--missing", now.losses === "");
    showState(row, drafts);
  }

  function show() {
    const drafts = new Map();
    for (const draft of outbox.drafts()) {
      if (draft.plan !== plan) continue;
      for (const place of draft.places) drafts.set(place, [...(drafts.get(place) ?? []), draft]);
    }
    for (const row of rows) showRow(row, drafts.get(row.dataset.place) ?? []);
    const missing = rows.filter((row) => row.classList.contains("tap--missing")).length;
    form.querySelector("[data-count]").textContent = `${rows.length - missing} of ${rows.length} reported`;
    form.querySelector("[data-others]").hidden = !missing;
    for (const group of form.querySelectorAll("[data-report-group]")) {
      const label = group.querySelector("[data-group-missing]");
      if (!label) continue;
      const left = group.querySelectorAll(".tap--missing").length;
      label.textContent = left ? `${left} of ${group.querySelectorAll("[data-tap]").length} to report` : "all reported";
    }
    countFound();
    const note = form.querySelector("[data-bar-note]");
    const waits = outbox.drafts().filter((each) => each.plan === plan && !each.problem).length;
    if (undoableQuiet?.places.length && undoableQuiet.until > Date.now()) {
      const many = undoableQuiet.places.length;
      note.replaceChildren(`${many} saved as ${words("0")}. `, link("Undo", undoQuiet));
    } else note.textContent = waits && outbox.state === "waiting" ? `${waits} not sent yet` : "";
  }

  // Whoever reported a place meanwhile may have taken that back: then there is nothing to choose.
  for (const draft of outbox.drafts().filter((each) => each.plan === plan && each.problem?.overtaken)) {
    const row = byPlace.get(draft.places[0]);
    const isFree = row && row.dataset.losses === "" && row.dataset.amountNow === row.dataset.planned;
    if (isFree) say(row, draft.saysLosses ? (draft.losses ?? "") : undefined, draft.amount);
  }
  outbox.addEventListener("change", show);
  for (const [key, { more, amount }] of outbox.typed.all()) {
    const row = byPlace.get(key.slice(plan.length + 1));
    if (!key.startsWith(`${plan}:`) || !row) continue;
    const panel = openPanel(row);
    if (panel.querySelector("[data-more]")) panel.querySelector("[data-more]").value = more;
    panel.querySelector("[data-amount]").value = amount;
  }
  show();
}
