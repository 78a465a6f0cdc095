"""Hypothesis strategies for settings of campaigns."""

from decimal import Decimal

from hypothesis import strategies as st

from allotment.campaign.settings.changes import first_settings

AMOUNTS = st.decimals(0, 6, places=2)


@st.composite
def campaigns(draw):
    count = draw(st.integers(1, 6))
    arms = [f"Arm {i}" for i in range(count)]
    caps = draw(st.lists(AMOUNTS, min_size=count, max_size=count))
    shares = st.sampled_from([Decimal(0)] * 6 + [Decimal("0.3"), Decimal("0.5"), Decimal(1)])
    floors = [draw(shares) * cap for cap in caps]
    split = draw(st.integers(0, count))
    lows, highs = st.decimals(0, 1, places=2), st.decimals(1, 20, places=2)
    limits = {"least": draw(st.one_of(st.none(), lows)), "most": draw(st.one_of(st.none(), highs))}
    groups = {"north": {"arms": arms[:split], **limits}} if split else None
    unit = Decimal(draw(st.sampled_from(["0.05", "0.25", "0.5", "1", "0.3"])))
    crews = [draw(st.integers(0, int(cap // unit))) * unit for cap in caps] if draw(st.booleans()) else 0
    return first_settings(
        "any",
        arms=arms,
        budget=draw(st.decimals(0, 20, places=2)),
        unit=unit,
        crew=dict(zip(arms, crews, strict=True)) if crews else None,
        most=dict(zip(arms, caps, strict=True)),
        least=dict(zip(arms, floors, strict=True)),
        groups=groups,
        seed=0,
    )
