// Search, sort and folding for tables marked data-table. Without script, the whole table is there.
export function enhanceTables() {
  for (const table of document.querySelectorAll("table[data-table]")) {
    const bodies = [...table.tBodies];
    for (const body of bodies) makeFoldable(body, "folded" in table.dataset);
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      if (cell.dataset.sort) makeSortable(table, bodies, cell, column);
    });
    const tools = document.querySelector(`[data-tools-for="${table.id}"]`);
    if (tools) makeSearchable(table, bodies, tools);
  }
}

const rowsOf = (body) => [...body.rows].filter((row) => !("groupHead" in row.dataset));
const valueOf = (row, column) => row.cells[column]?.dataset.value ?? row.cells[column]?.textContent ?? "";

function makeFoldable(body, folded) {
  const head = body.querySelector("[data-group-head]");
  if (!head) return;
  const label = head.querySelector("[data-fold-label]");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fold-button";
  button.append(...label.childNodes);
  label.append(button);
  body.fold = (folded) => {
    button.setAttribute("aria-expanded", String(!folded));
    body.classList.toggle("folded", folded);
  };
  button.addEventListener("click", () => body.fold(!body.classList.contains("folded")));
  body.fold(folded);
}

function makeSortable(table, bodies, cell, column) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort-button";
  button.append(...cell.childNodes);
  cell.append(button);
  button.addEventListener("click", () => {
    const up = cell.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", up ? "ascending" : "descending");
    const compare =
      cell.dataset.sort === "number"
        ? (a, b) => Number(valueOf(a, column)) - Number(valueOf(b, column))
        : (a, b) => valueOf(a, column).localeCompare(valueOf(b, column), undefined, { numeric: true });
    for (const body of bodies) {
      const rows = rowsOf(body).sort((a, b) => (up ? compare(a, b) : compare(b, a)));
      body.append(...rows);
    }
  });
}

function makeSearchable(table, bodies, tools) {
  tools.hidden = false;
  const input = tools.querySelector("input");
  const found = tools.querySelector("[data-found]");
  const foldAll = tools.querySelector("[data-fold-all]");
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLocaleLowerCase();
    let shown = 0;
    for (const body of bodies) {
      let here = 0;
      for (const row of rowsOf(body)) {
        row.hidden = wanted !== "" && !valueOf(row, 0).toLocaleLowerCase().includes(wanted);
        if (!row.hidden) here += 1;
      }
      body.hidden = here === 0;
      if (wanted && here && body.fold) body.fold(false);
      shown += here;
    }
    found.textContent = wanted ? `${shown} found` : "";
  });
  foldAll?.addEventListener("click", () => {
    fold(!table.classList.contains("all-folded"));
  });
  const fold = (folded) => {
    table.classList.toggle("all-folded", folded);
    if (foldAll) foldAll.textContent = folded ? "Open all groups" : "Fold all groups";
    for (const body of bodies) body.fold?.(folded);
  };
  if ("folded" in table.dataset) fold(true);
}
