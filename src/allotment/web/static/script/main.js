// What every page uses. Pages work without it; it makes them quicker to use.
import { enhanceMaps } from "./maps.js";
import { enhanceTables } from "./tables.js";
import { enhanceForms, enhanceToasts } from "./forms.js";

enhanceTables();
enhanceForms();
enhanceToasts();
enhanceMaps();

// On a phone, the tab of this page may be beyond the edge.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
