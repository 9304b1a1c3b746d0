"""Typed dictionaries of what a row, a kind, a change has in `wire`, `ops` and `cause`. What is not
`Required` may be absent.

Written by tests/write_types.py from docs/MESSAGES.md; `TRESTLE_WRITE=1` with tests/test_types.py writes it anew.
"""

from typing import Required, TypedDict


class Cause(TypedDict, total=False):
    client: str
    number: int
    verb: str
    name: str
    timeMs: int
    undoes: int
    user: str


class Op(TypedDict, total=False):
    insert: "OpInsert"
    remove: "OpRemove"
    move: "OpMove"
    set: "OpSet"
    swipe: "OpSwipe"
    expand: "OpExpand"
    swap: "OpSwap"
    insertSection: "OpInsertSection"
    removeSection: "OpRemoveSection"
    setSection: "OpSetSection"
    define: "OpDefine"
    perform: "OpPerform"
    invoke: "OpInvoke"
    take: "OpTake"
    release: "OpRelease"
    finish: "OpFinish"
    edit: "OpEdit"
    expandAll: "OpExpandAll"
    insertItem: "OpInsertItem"
    removeItem: "OpRemoveItem"
    moveItems: "OpMoveItems"
    setItem: "OpSetItem"
    scroll: "OpScroll"
    select: "OpSelect"
    claim: "OpClaim"
    restore: "OpRestore"
    setInvocation: "OpSetInvocation"
    mark: "OpMark"
    rest: "OpRest"
    sleep: "OpSleep"
    came: "OpCame"


OpCame = TypedDict("OpCame", {"row": str, "from": str}, total=False)


class OpRest(TypedDict, total=False):
    invocation: str
    failure: "InvocationFailure"


class OpSleep(TypedDict, total=False):
    row: str
    sleep: "RowSleep"


class OpMark(TypedDict, total=False):
    row: str
    selected: "RowSelection"


class OpClaim(TypedDict, total=False):
    row: str
    claim: "RowClaim"


class OpRestore(TypedDict, total=False):
    row: str
    version: int
    performed: list["Performance"]
    changedMs: int
    movedMs: int


class OpSetInvocation(TypedDict, total=False):
    id: str
    invocation: "Invocation"


class OpInsert(TypedDict, total=False):
    row: "Row"
    after: str
    section: str
    hint: str


class OpRemove(TypedDict, total=False):
    row: str
    hint: str


class OpMove(TypedDict, total=False):
    rows: list[str]
    after: str
    section: str


class OpSet(TypedDict, total=False):
    row: str
    title: str
    fields: dict[str, str]
    unset: list[str]
    kind: str
    actions: "RowActions"
    states: "OwnStates"


class OpSwipe(TypedDict, total=False):
    row: str
    edge: str


class OpExpand(TypedDict, total=False):
    row: str
    state: str


class OpSwap(TypedDict, total=False):
    a: str
    b: str


class OpInsertSection(TypedDict, total=False):
    id: str
    title: str
    after: str


class OpRemoveSection(TypedDict, total=False):
    id: str


class OpSetSection(TypedDict, total=False):
    id: str
    title: str


class OpDefine(TypedDict, total=False):
    kinds: list["Kind"]
    drop: list[str]
    settings: "Settings"


class OpPerform(TypedDict, total=False):
    row: str
    performance: "Performance"


class OpInvoke(TypedDict, total=False):
    invocation: "Invocation"


class OpTake(TypedDict, total=False):
    invocation: str
    holder: str


class OpRelease(TypedDict, total=False):
    invocation: str


class OpFinish(TypedDict, total=False):
    invocation: str
    done: bool
    failed: str


class OpEdit(TypedDict, total=False):
    on: bool


class OpExpandAll(TypedDict, total=False):
    open: bool


class OpInsertItem(TypedDict, total=False):
    row: str
    item: "StripItem"
    after: str


class OpRemoveItem(TypedDict, total=False):
    row: str
    item: str


class OpMoveItems(TypedDict, total=False):
    row: str
    items: list[str]
    after: str


class OpSetItem(TypedDict, total=False):
    row: str
    item: str
    title: str
    fields: dict[str, str]
    unset: list[str]
    tap: "StripItemTap"
    kind: str


class OpScroll(TypedDict, total=False):
    row: str
    item: str
    fraction: float


class OpSelect(TypedDict, total=False):
    row: str
    item: str


class Row(TypedDict, total=False):
    id: Required[str]
    kind: Required[str]
    section: str
    index: int
    title: str
    fields: dict[str, str]
    version: int
    createdMs: int
    expand: str
    swipe: str
    actions: "RowActions"
    performed: list["Performance"]
    items: list["StripItem"]
    scroll: "RowScroll"
    changedMs: int
    movedMs: int
    claim: "RowClaim"
    states: list["KindState"]
    selected: "RowSelection"
    sleep: "RowSleep"
    cameFrom: str


class RowSleep(TypedDict, total=False):
    untilMs: int
    top: bool


class RowSelection(TypedDict, total=False):
    item: str


class RowClaim(TypedDict, total=False):
    holder: Required[str]
    note: str
    ttl: float
    sinceMs: int


class RowScroll(TypedDict, total=False):
    item: str
    fraction: float


class OwnStates(TypedDict, total=False):
    states: list["KindState"]


class StripItem(TypedDict, total=False):
    id: Required[str]
    title: str
    fields: dict[str, str]
    tap: "StripItemTap"
    kind: str


class StripItemTap(TypedDict, total=False):
    effects: list["Effect"]
    digest: str


class RowActions(TypedDict, total=False):
    leading: "ActionGroup"
    trailing: "ActionGroup"
    digest: str


class Performance(TypedDict, total=False):
    action: Required[str]
    state: Required[str]
    reason: str
    invocation: str
    item: str


class Invocation(TypedDict, total=False):
    id: Required[str]
    row: Required[str]
    action: Required[str]
    client: str
    pressedMs: int
    deadline: float
    then: list["Effect"]
    holder: str
    attempts: int
    pressed: "Row"
    digest: Required[str]
    item: str
    retries: "Retries"
    failure: "InvocationFailure"


class InvocationFailure(TypedDict, total=False):
    reason: str
    dueMs: int
    over: bool


Retries = TypedDict("Retries", {"attempts": int, "backoff": float, "else": list["Effect"]}, total=False)


class Settings(TypedDict, total=False):
    swipePolicy: str
    swipeScope: str
    expandPolicy: str
    look: "Look"
    digest: str
    scrollScope: str
    expandScope: str
    faces: list["SettingsSharedFace"]
    dropFaces: list[str]
    motion: dict[str, float]
    selection: str
    pauses: list["SettingsPause"]
    alerts: list["SettingsAlert"]
    noAlerts: bool


class SettingsSharedFace(TypedDict, total=False):
    name: str
    face: "Face"


SettingsAlert = TypedDict("SettingsAlert", {"on": str, "in": list[str], "kinds": list[str], "sound": str, "repeat": int}, total=False)


class SettingsPause(TypedDict, total=False):
    section: str
    action: str
    actor: str
    note: str
    sinceMs: int


class Kind(TypedDict, total=False):
    id: Required[str]
    height: float
    layout: str
    margins: "KindMargins"
    states: list["KindState"]
    initial: str
    strip: bool
    canMove: bool
    canDelete: bool
    pinned: bool
    ages: "KindAges"
    tap: list["Effect"]
    leading: "ActionGroup"
    trailing: "ActionGroup"
    digest: Required[str]
    clear: list[str]
    appearance: list["KindAppearance"]
    items: list["ItemKind"]
    spacing: float
    page: str
    dropItems: list[str]
    editingStyle: str
    tapRepeat: bool
    show: "KindShow"
    emphasis: list["KindEmphasis"]
    form: list[str]


KindShow = TypedDict("KindShow", {"title": str, "line": "KindShowParts", "badge": str, "detail": list[str], "hide": list[str], "as": dict[str, str], "wrap": int, "group": str, "color": str}, total=False)


class KindShowParts(TypedDict, total=False):
    parts: list[str]


class KindEmphasis(TypedDict, total=False):
    when: str
    field: str
    background: str
    color: str
    icon: str


class KindAppearance(TypedDict, total=False):
    state: str
    background: str
    alpha: float
    tint: str


class KindMargins(TypedDict, total=False):
    text: float
    bottom: float


class KindState(TypedDict, total=False):
    name: Required[str]
    height: float


KindAges = TypedDict("KindAges", {"warn": int, "late": int, "in": list[str], "since": str}, total=False)


class ItemKind(TypedDict, total=False):
    name: str
    width: float
    height: float
    layout: str
    fields: "ItemKindShown"
    badge: str
    tap: list["Effect"]
    menu: list["Action"]
    tapRepeat: bool


class ItemKindShown(TypedDict, total=False):
    keys: list[str]


class ActionGroup(TypedDict, total=False):
    look: "Look"
    compatible: bool
    fullSwipe: bool
    actions: list["Action"]
    clear: list[str]
    background: str
    gap: float


class Look(TypedDict, total=False):
    style: str
    width: float
    intrinsic: bool
    spacing: float
    insets: list[float]
    clear: list[str]
    faceWidth: bool


class Action(TypedDict, total=False):
    id: str
    title: str
    role: str
    icon: str
    background: str
    foreground: str
    look: "Look"
    face: "Face"
    hidesWhenSelected: bool
    confirm: bool
    effect: list["Effect"]
    repeat: bool
    when: str
    unless: str


class Face(TypedDict, total=False):
    vertical: "FaceStack"
    horizontal: "FaceStack"
    icon: str
    text: str
    spacer: float
    size: float
    weight: str
    color: str
    align: str
    spacing: float
    insets: list[float]
    image: "FaceImage"
    face: str
    family: list[str]
    italic: bool


class FaceStack(TypedDict, total=False):
    parts: list["Face"]


class FaceImage(TypedDict, total=False):
    path: str
    png: str
    grid: list[float]
    template: bool


class Effect(TypedDict, total=False):
    remove: bool
    move: "EffectMove"
    set: "EffectFields"
    expand: str
    invoke: "EffectInvoke"
    fill: "EffectFields"
    increment: "EffectIncrement"
    removeItem: bool
    setItem: "EffectFields"
    snooze: "EffectSnooze"
    unset: "EffectKeys"
    kind: str
    moveBack: bool
    group: "EffectEffects"


class EffectKeys(TypedDict, total=False):
    keys: list[str]


class EffectEffects(TypedDict, total=False):
    effects: list["Effect"]


class EffectSnooze(TypedDict, total=False):
    forMs: int
    top: bool


class EffectIncrement(TypedDict, total=False):
    by: dict[str, int]


class EffectFields(TypedDict, total=False):
    fields: dict[str, str]


class EffectMove(TypedDict, total=False):
    section: str
    top: bool
    bottom: bool
    before: str
    after: str


class EffectInvoke(TypedDict, total=False):
    deadline: float
    then: list["Effect"]
    retries: "Retries"
