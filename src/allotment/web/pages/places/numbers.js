// The numbers beside a chart are folded on a phone, and open where there is room.
if (matchMedia("(min-width: 48rem)").matches) {
  for (const fold of document.querySelectorAll("details[data-open-wide]")) fold.open = true;
}
