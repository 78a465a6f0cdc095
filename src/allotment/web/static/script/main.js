// What every page uses. Pages work without it; it makes them quicker to use.
import { enhanceTables } from "./tables.js";
import { enhanceForms, enhanceToasts } from "./forms.js";

enhanceTables();
enhanceForms();
enhanceToasts();
