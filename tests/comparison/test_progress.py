import pytest

from featsieve.comparison import Progress
from featsieve.comparison._rounds import Watch


def played(selector, seconds):
    return {"selector": selector, "seconds": seconds}


def test_what_is_left_is_known_selector_by_selector():
    watch = Watch(["quick", "slow"], 10, [])
    assert watch.progress(0.0).remaining is None
    watch.note(played("quick", 1.0))
    early = watch.progress(1.0)
    assert (early.remaining, early.at_least) == (9.0, True)
    watch.note(played("slow", 20.0))
    both = watch.progress(21.0)
    assert (both.remaining, both.at_least) == (9.0 + 180.0, False)
    assert (both.done, both.total) == (2, 20)


def test_rounds_of_a_journal_are_timed_but_not_of_this_run():
    watch = Watch(["a"], 4, [played("a", 5.0), played("a", 7.0)])
    assert watch.progress(0.0).remaining == 12.0


def test_jobs_are_counted_by_what_was_done():
    watch = Watch(["a"], 10, [])
    for _ in range(4):
        watch.note(played("a", 3.0))
    # Twelve seconds of work in six: two at a time.
    assert watch.progress(6.0).remaining == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 s"),
        (59, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (7260, "2 h 1 min"),
    ],
)
def test_durations_as_people_say_them(seconds, text):
    assert str(Progress(1, 2, 0, seconds, False)) == f"1 of 2 rounds, about {text} left"


def test_the_end_and_the_unknown():
    assert str(Progress(2, 2, 0, 0, False)) == "2 of 2 rounds"
    assert str(Progress(0, 2, 0, None, True)) == "0 of 2 rounds, time left unknown"
