"""Whole campaigns, driven by Hypothesis, against a small model in plain Python."""

import datetime
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from allotment import Campaign, InputError
from allotment.campaign.planning import decision
from campaign_decider import install

NAMES = st.sampled_from(["Dock", "Gate", "Yard", "Shed", "Mill"])
DAYS = st.dates(datetime.date(2026, 1, 1), datetime.date(2026, 1, 20))
AMOUNTS = st.sampled_from([0, 0.5, 1, 1.5, 7, 0.3])


class WholeCampaigns(RuleBasedStateMachine):
    """What should be so: plans with reports, imports, names of arms, who is active."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.kept = decision.posterior_of, decision.started
        install()
        self.arm = {"Dock": 0, "Gate": 1}  # every name that was used
        self.name = {0: "Dock", 1: "Gate"}
        self.active = {0, 1}
        self.budget, self.plans, self.imports = 3, [], []
        self.clock = 0

    @initialize(seed=st.integers(0, 5))
    def begin(self, seed):
        self.campaign = Campaign.create(
            self.folder / "a.db", "a", arms=["Dock", "Gate"], budget=3, unit=0.5, most=2, seed=seed
        )

    def teardown(self):
        if hasattr(self, "campaign"):
            self.campaign.verify()
            self.campaign.close()
        decision.posterior_of, decision.started = self.kept
        shutil.rmtree(self.folder)

    def refused(self, action):
        before = self.campaign.last_event
        try:
            action()
        except InputError as error:
            assert "\n" not in str(error)
            assert self.campaign.last_event == before
            return True
        return False

    def is_open(self, plan):
        return not plan["cancelled"] and not plan["closed"] and len(plan["told"]) < len(plan["granted"])

    @rule(day=DAYS, explore=st.booleans(), again=st.sampled_from([None, False, True]))
    def ask(self, day, explore, again):
        """Ask in Python (None), or as the command does, which shows an open plan or replaces it."""
        also = again is None
        there = [each for each in self.plans if each["day"] == day and not each["cancelled"]]
        latest = there[-1] if there and not also else None
        shown = latest is not None and not again
        wrong = latest is not None and (
            not self.is_open(latest) or (bool(latest["told"]) if again else latest["explore"] != explore)
        )
        found = []
        was_refused = self.refused(
            lambda: found.append(self.campaign.plan_for(day, explore=explore, again=bool(again), also=also))
        )
        assert was_refused == (wrong or (not self.active and not shown))
        if was_refused:
            return
        plan = found[0].plan
        assert found[0].made is not shown
        if shown:
            assert self.plans[plan.number - 1] is latest
            return
        if latest is not None:
            latest["cancelled"] = True
        assert [self.arm[name] for name in plan.amounts] == sorted(self.active)
        assert sum(plan.amounts.values()) <= self.budget
        assert all(amount <= 2 and 2 * amount == int(2 * amount) for amount in plan.amounts.values())
        granted = {self.arm[name]: amount for name, amount in plan.amounts.items()}
        state = {"cancelled": False, "closed": False, "touched": False, "explore": explore}
        self.plans.append({"day": day, "granted": granted, "told": {}, "amounts": {}, **state})
        assert plan.number == len(self.plans)

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), name=NAMES, losses=st.sampled_from([0, 1, None, 2]), correct=st.booleans())
    def tell(self, data, name, losses, correct):
        number = data.draw(st.integers(0, len(self.plans) - 1))
        amount = data.draw(st.one_of(st.none(), AMOUNTS))
        plan, arm = self.plans[number], self.arm.get(name)
        amounts = None if amount is None else {name: amount}
        told, before = plan["told"].get(arm), plan["amounts"].get(arm)
        on_record = before if before is not None else plan["granted"].get(arm) if told is not None else None
        wrong = arm not in plan["granted"] or plan["cancelled"] or losses == 2
        differs = (told is not None and losses != told) or (
            amount is not None and on_record not in (None, amount)
        )
        was_refused = self.refused(
            lambda: self.campaign.tell(f"{number + 1}", {name: losses}, amounts=amounts, correct=correct)
        )
        assert was_refused == (wrong or (differs and not correct))
        if was_refused:
            return
        self.clock += 1
        plan["touched"] |= amount is not None or losses is not None or correct
        if amount is not None:
            plan["amounts"][arm] = amount
        if losses is not None:
            plan["told"][arm] = losses
            plan.setdefault("when", {})[arm] = self.clock
        elif correct:
            plan["told"].pop(arm, None)
            plan["amounts"].pop(arm, None)
        if losses is None and amount is not None and arm in plan["told"]:
            plan["when"][arm] = self.clock

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), close=st.booleans())
    def cancel_or_close(self, data, close):
        number = data.draw(st.integers(0, len(self.plans) - 1))
        plan = self.plans[number]
        if close:
            was_refused = self.refused(lambda: self.campaign.close_plan(f"{number + 1}"))
            assert was_refused is not self.is_open(plan)
            plan["closed"] |= not was_refused
        else:
            was_refused = self.refused(lambda: self.campaign.cancel(f"{number + 1}"))
            assert was_refused == (plan["cancelled"] or plan["closed"] or bool(plan["told"]))
            plan["cancelled"] |= not was_refused

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), what=st.sampled_from([None, "report", "cancellation", "closing"]))
    def undo(self, data, what):
        number = data.draw(st.integers(0, len(self.plans) - 1))
        plan = self.plans[number]
        flags = {"report": "touched", "cancellation": "cancelled", "closing": "closed"}
        in_force = [name for name, flag in flags.items() if plan[flag]]
        was_refused = self.refused(lambda: self.campaign.undo(f"{number + 1}", what=what))
        assert was_refused == (len(in_force) != 1 if what is None else what not in in_force)
        if was_refused:
            return
        undone = what or in_force[0]
        plan[flags[undone]] = False
        if undone == "report":
            plan["told"], plan["amounts"] = {}, {}

    @rule(day=DAYS, name=NAMES, amount=AMOUNTS, incidents=st.integers(0, 1), correct=st.booleans())
    def bring_a_log(self, day, name, amount, incidents, correct):
        log = self.folder / "log.csv"
        log.write_text(f"date,place,amount,incidents,exposure\n{day},{name},{amount},{incidents},3\n")
        arm = self.arm.get(name)
        known = self.known().get((arm, day), {})
        same = known.get(amount) == (3, incidents)
        was_refused = self.refused(lambda: self.campaign.import_log(log, correct=correct))
        assert was_refused == (arm is None or (bool(known) and not same and not correct))
        if not was_refused:
            self.clock += 1
            replaces = bool(known) and not same
            row = (arm, day, amount, 3, incidents)
            self.imports.append(
                {"row": None if same else row, "replaces": replaces, "when": self.clock, "live": True}
            )

    @precondition(lambda self: self.imports)
    @rule(data=st.data())
    def undo_an_import(self, data):
        number = data.draw(st.integers(0, len(self.imports) - 1))
        each = self.imports[number]
        assert self.refused(lambda: self.campaign.undo(f"import-{number + 1}")) is not each["live"]
        each["live"] = False

    @rule(name=NAMES, other=NAMES)
    def rename_or_add(self, name, other):
        if name == other:
            assert self.refused(lambda: self.campaign.add_arm(name, most=2)) == (name in self.arm)
            if name not in self.arm or self.arm[name] not in self.name:
                number = len(self.name)
                self.arm[name], self.name[number] = number, name
                self.active.add(number)
            return
        arm = self.arm.get(name)
        was_refused = self.refused(lambda: self.campaign.rename_arm(name, other))
        assert was_refused == (arm is None or self.arm.get(other, arm) != arm)
        if not was_refused:
            self.arm[other], self.name[arm] = arm, other

    @rule(name=NAMES, retire=st.booleans())
    def retire_or_restore(self, name, retire):
        arm = self.arm.get(name)
        act = self.campaign.retire_arm if retire else self.campaign.restore_arm
        was_refused = self.refused(lambda: act(name))
        assert was_refused == (arm is None or (arm in self.active) != retire)
        if not was_refused:
            (self.active.discard if retire else self.active.add)(arm)

    @rule(budget=st.sampled_from([0, 1.7, 3, 100]))
    def change(self, budget):
        self.campaign.change(budget=budget)
        self.budget = budget

    @rule(drop=st.booleans())
    def reopen(self, drop):
        if drop:
            self.campaign.store.drop_snapshot(1)
        self.campaign.close()
        self.campaign = Campaign.open(self.folder / "a.db")

    def known(self):
        """Rounds and losses by arm and day, then amount."""
        rows = []
        for plan in self.plans:
            for arm, losses in plan["told"].items():
                amount = plan["amounts"].get(arm, plan["granted"][arm])
                rows.append((plan["when"][arm], arm, plan["day"], amount, 1, losses))
        live = [each for each in self.imports if each["live"] and each["row"]]
        rows += [(each["when"], *each["row"]) for each in live]
        found = defaultdict(dict)
        for when, arm, day, amount, rounds, losses in rows:
            later = [
                each
                for each in live
                if each["replaces"] and each["row"][:2] == (arm, day) and each["when"] > when
            ]
            if not later:
                before = found[arm, day].get(amount, (0, 0))
                found[arm, day][amount] = (before[0] + rounds, before[1] + losses)
        return found

    @invariant()
    def evidence_is_what_it_should_be(self):
        if not hasattr(self, "campaign"):
            return
        sums = defaultdict(lambda: [0, 0])
        for (arm, _), by_amount in self.known().items():
            for amount, (rounds, losses) in by_amount.items():
                sums[self.name[arm], amount][0] += rounds
                sums[self.name[arm], amount][1] += losses
        expected = sorted((name, amount, *counts) for (name, amount), counts in sums.items())
        assert sorted(map(tuple, self.campaign.evidence())) == expected

    @invariant()
    def plans_are_in_their_states(self):
        for number, plan in enumerate(self.plans, start=1):
            told = len(plan["told"])
            state = "closed" if plan["closed"] else "waiting" if told == 0 else "partly told"
            state = "told" if told == len(plan["granted"]) else state
            assert self.campaign.plan(f"{number}").state == ("cancelled" if plan["cancelled"] else state)


WholeCampaigns.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestWholeCampaigns = WholeCampaigns.TestCase
