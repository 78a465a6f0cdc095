// Search, and only the places that are still to be reported, for plans with many places.
export function enhanceSearch(form, rows) {
  const tools = document.querySelector("[data-report-tools]");
  if (!tools) return;
  tools.hidden = false;
  const search = tools.querySelector("[type=search]");
  const only = tools.querySelector("[data-only]");
  const found = tools.querySelector("[data-found]");
  const groups = [...form.querySelectorAll("[data-report-group]")];

  function filter() {
    const wanted = search.value.trim().toLocaleLowerCase();
    let shown = 0;
    for (const row of rows) {
      const isFound = row.dataset.place.toLocaleLowerCase().includes(wanted);
      row.hidden = !isFound || (only.checked && !row.classList.contains("tap--missing"));
      if (!row.hidden) shown += 1;
    }
    for (const group of groups) {
      const some = group.querySelector("[data-tap]:not([hidden])") !== null;
      group.hidden = !some;
      if (some && (wanted || only.checked)) group.open = true;
    }
    found.textContent = wanted || only.checked ? `${shown} found` : "";
  }
  search.addEventListener("input", filter);
  only.addEventListener("change", filter);
}
