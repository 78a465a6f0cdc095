"""The exact 0-1 knapsack on real-valued weights and values.

`solve.py` is the function for people; `exact.py` the oracle that compiled code calls every round, and the
order of events in a solve. A solve goes from the break item to the core (both in `core.py`), and
searches that (`states.py`), if need be with a second price (`cardinality.py`); all in one `workspace.py`.
`tabled.py` looks the best choice up where few are possible.

What it builds on:
- the bound with one item split: Dantzig (1957);
- the core, the items near the break item, found by partial sorting: Balas and Zemel (1980);
- states in order of the core, with dominance and bounds, so that few items are ever looked at: Pisinger
  (1997), "A minimal algorithm for the 0-1 knapsack problem";
- the inequality on the number of items and its price: Martello, Pisinger and Toth (1999), "Dynamic
  programming and strong bounds for the 0-1 knapsack problem";
- all of it, explained: Kellerer, Pferschy and Pisinger (2004), "Knapsack Problems".
Real numbers without rounding, the first attempt without order, and a start from the last solve's price are
not from there.
"""
