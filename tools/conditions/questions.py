"""Makes questions by seed. For a kind of question and a family of near-misses it draws a record and drafts a question
about it. It keeps the draft if its answer has the right shape."""
import near
from answers import answer
from drafts import draft
from fields import SHELVES
from scene import KINDS, Scene, Unfit

# How many drafts are tried for one question before its family is given up, and how many before the question is.
TRIES_IN_FAMILY = 400
TRIES = 4000
# Of so many questions of a kind, so many are of a family.
FAMILY_EVERY = 5
FAMILY_OF_THEM = 2


def questions(side, companies, records, seed):
    """The questions of a corpus: the same share of each kind as among 400, and none of them twice."""
    shelves = {shelf: [record for record in records if record.shelf == shelf] for shelf in SHELVES}
    every, asked = [], set()
    for kind, quota in KINDS.items():
        scene = Scene(side, companies, shelves, seed, kind)
        for number in range(quota):
            question = no_condition(scene, number) if kind == "none" else ask(scene, kind, number, asked)
            question["id"] = f"{side.name}-{kind}-{number + 1:02}"
            asked.add(question["question"])
            every.append(question)
    return every


def ask(scene, kind, number, asked):
    """A question that was not asked before."""
    family = family_of(scene.side, kind, number)
    for tried in range(TRIES_IN_FAMILY + TRIES):
        if tried == TRIES_IN_FAMILY:
            family = None
        try:
            question = answer(scene, draft(scene, kind, family, scene.today()))
        except Unfit:
            continue
        if question["question"] not in asked:
            return question
    raise SystemExit(f"no question of kind `{kind}` came about: the corpus is too small")


def family_of(side, kind, number):
    """The family of a question; they take turns, so that all of them come, whatever else the kind has."""
    families = near.families(side, kind)
    if number % FAMILY_EVERY >= FAMILY_OF_THEM or not families:
        return None
    turn = number // FAMILY_EVERY * FAMILY_OF_THEM + number % FAMILY_EVERY
    return families[turn % len(families)]


def no_condition(scene, number):
    """A question whose words sound like conditions and must not become any."""
    texts = scene.wording["none"]
    return {
        "id": "", "kind": "none", "template": f"{scene.side.name}.none", "question": texts[number % len(texts)],
        "today": scene.today().isoformat(), "conditions": [], "documents": [], "left_out": [],
    }
