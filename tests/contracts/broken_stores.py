"""Stores that each break the contract in one way; the checks must reject every one of them."""

from dataclasses import replace

from sqlalchemy import select

from allotment.campaign.history.events import ORIGIN, Event, new_key
from allotment.campaign.history.store.store import Store
from allotment.campaign.history.store.tables import events


class Forgetful(Store):
    """Acknowledges what it never wrote."""

    def append(self, campaign, request, decide):
        number, previous = self.last(campaign)
        draft = decide(lambda after: self.events(campaign, after))
        return Event.after(previous, number + 1, self._first(campaign).at, request, draft)

    def _first(self, campaign):
        return next(self.events(campaign))


class Keyless(Store):
    """Takes no notice of keys."""

    def append(self, campaign, request, decide):
        return super().append(campaign, replace(request, key=new_key()), decide)


class Forgiving(Store):
    """Answers another request under a known key as if it were the same."""

    def _answered(self, connection, campaign, request):
        query = select(events.c.request).where(events.c.campaign == campaign, events.c.key == request.key)
        known = connection.execute(query).scalar()
        return super()._answered(
            connection, campaign, request if known is None else replace(request, digest=known)
        )


class Unchained(Store):
    """Seals each event as if it were the first."""

    def _last(self, *which):
        return super()._last(*which)._replace(hash=ORIGIN)


class Hasty(Store):
    """Writes first and decides afterwards."""

    def append(self, campaign, request, decide):
        from allotment.campaign.history.events import Draft

        event = super().append(campaign, request, lambda read: Draft("noted", {}))
        decide(lambda after: self.events(campaign, after))
        return event


class Nostalgic(Store):
    """Decides on the history as it was a moment ago."""

    def append(self, campaign, request, decide):
        seen = list(self.events(campaign))[:1]
        return super().append(campaign, request, lambda read: decide(lambda after: iter(seen)))


class Jealous(Store):
    """Reads as if it wrote."""

    def transaction(self, *, writes=False):
        return super().transaction(writes=True)


class Muddled(Store):
    """Reads the events of all campaigns."""

    def _page(self, connection, campaign, after):
        return [event for other in (1, 2) for event in super(Muddled, self)._page(connection, other, after)]


class Trusting(Store):
    """Takes any snapshot, whatever history it is of."""

    def follows(self, campaign, snapshot):
        return True


class Regressive(Store):
    """Puts an older snapshot in the place of a newer one."""

    def keep_snapshot(self, campaign, snapshot):
        self.drop_snapshot(campaign)
        super().keep_snapshot(campaign, snapshot)
