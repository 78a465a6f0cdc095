// A tap on a map says which place is there. A small outline has no room for its name, and a phone has no mouse
// that could rest on it. On maps with links, a tap opens the place.
export function enhanceMaps() {
  for (const map of document.querySelectorAll("svg.chart--map[role=img]")) {
    const said = document.createElement("p");
    said.className = "map__said";
    said.setAttribute("role", "status");
    said.textContent = "Choose a place on the map to see its name.";
    map.after(said);
    map.addEventListener("click", (event) => {
      const title = event.target.closest(".map__shape, .map__line")?.querySelector("title");
      if (title) said.textContent = title.textContent;
    });
  }
}
