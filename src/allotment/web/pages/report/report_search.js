// Search, and only the places that are still to be reported, for plans with many places. Returns what counts
// the places anew after a report. A place that was just reported stays in sight, so that it can be undone.
export function enhanceSearch(form, rows) {
  const tools = document.querySelector("[data-report-tools]");
  if (!tools) return () => {};
  tools.hidden = false;
  const search = tools.querySelector("[type=search]");
  const only = tools.querySelector("[data-only]");
  const found = tools.querySelector("[data-found]");
  const groups = [...form.querySelectorAll("[data-report-group]")];
  const wanted = () => search.value.trim().toLocaleLowerCase();
  const isWanted = (row) => row.dataset.place.toLocaleLowerCase().includes(wanted());
  const isLeft = (row) => row.classList.contains("tap--missing");

  function filter() {
    for (const row of rows) row.hidden = !isWanted(row) || (only.checked && !isLeft(row));
    for (const group of groups) {
      const some = group.querySelector("[data-tap]:not([hidden])") !== null;
      group.hidden = !some;
      if (some && (wanted() || only.checked)) group.open = true;
    }
    count();
  }

  function count() {
    const shown = rows.filter((row) => isWanted(row) && (!only.checked || isLeft(row))).length;
    const said = only.checked ? `${shown} to report` : wanted() ? `${shown} found` : "";
    if (found.textContent !== said) found.textContent = said;
  }
  search.addEventListener("input", filter);
  only.addEventListener("change", filter);
  return count;
}
