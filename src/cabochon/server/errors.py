"""What is not carried out, and why: each refusal has a code, a status and a sentence. Clients translate the code."""

from typing import Any

from ..why_not import RULES, Reason

NOT_A_MOVE = "not_a_move"  # a text that says no move at all, so no rule was asked
RULE_CODES = (*RULES, NOT_A_MOVE)

REFUSALS: dict[str, tuple[int, str]] = {
    # the game
    "rule": (409, "{sentence}"),
    "not_begun": (409, "the game has not begun"),
    "begun": (409, "the game has begun"),
    "over": (409, "the game is over"),
    "not_over": (409, "this is shown after the end of the game"),
    "not_your_turn": (409, "it is not your turn: seat {seat} is to decide"),
    "wrong_number": (409, "the next entry is number {next}, not {number}"),
    "gone_on": (409, "entry {number} is another one already: the game has gone on"),
    "log_full": (409, "this table has come to its end: its log may have {most} lines"),
    # deals that others play too
    "counts": (409, "this game counts: nobody helps, and no bot plays for you"),
    "tried": (409, "the first try counts, and there is one: practice comes after it"),
    "duel_full": (409, "two people play this duel already"),
    # hints
    "hint_alone": (409, "hints are given only where everybody else is a bot: another person sits at this table"),
    "hint_coming": (429, "one hint at a time: the one you asked for is on its way"),
    # the analysis board
    "impossible": (409, "{sentence}"),
    "no_deal": (409, "a record begins with the deal, and this study begins at a later position"),
    "from_position": (409, "this game began at a position that somebody set up: there is no deal to check"),
    # the deal
    "sealed_already": (409, "this seat has sealed a nonce already"),
    "no_seal": (409, "seat {seat} has sealed no nonce"),
    "wrong_nonce": (409, "this nonce does not fit the seal of seat {seat}"),
    "not_opening": (409, "nonces are opened while the cards are dealt, not now"),
    "old_deal": (409, "this table was opened by an older server, whose deals take no nonces"),
    # taking back, being away
    "no_takeback": (409, "at this table nothing is taken back"),
    "nothing_to_undo": (409, "there is nothing to take back"),
    "asked_already": (409, "the others have been asked already"),
    "asked_enough": (409, "the others have been asked about this decision {most} times: it stands"),
    "nothing_asked": (409, "you have asked nothing that could be withdrawn"),
    "not_asked": (409, "nobody is waiting for your answer to this"),
    "stand_in": (409, "a bot plays for this seat: take it back first"),
    "own_stand_in": (409, "a bot plays for your own seat: take it back first"),
    "no_stand_in": (409, "no bot plays for you"),
    "bot_there": (409, "a bot plays there already"),
    "not_away": (409, "a seat can be replaced when its player has been away for {seconds} seconds"),
    "resigned": (409, "you have resigned, and a bot plays on for you"),
    "rematch_later": (409, "a rematch comes after the end"),
    # chat
    "chat_empty": (409, "there is nothing to say in this"),
    "chat_full": (409, "enough was said at this table: {most} lines are kept"),
    "too_many_chats": (429, "too much was said in a short time: wait a moment"),
    # my games
    "no_records": (409, "this is neither a record nor a zip file of records"),
    "too_many_records": (409, "{most} records can be imported: import fewer, or delete some first"),
    "no_device_key": (409, "this link is no longer valid: make a new one on your other device"),
    # seats
    "no_cookie": (409, "your browser has no cookie from here: open the page first"),
    "seat_taken": (409, "this seat is taken"),
    "somebody_there": (409, "somebody sits there"),
    "nobody_there": (409, "nobody sits there"),
    "own_seat": (409, "this is your own seat: leave it instead"),
    "kicked": (409, "the host has shown you out of this table"),
    "watching": (409, "you are watching: only players at the table can do this"),
    "no_own_seat": (403, "you hold no seat at this table"),
    "no_seat": (409, "there is no seat {seat}: seats are 0 to {last}"),
    "no_eyes": (404, "there is no seat {seat}"),
    "host_only": (409, "only the host can do this"),
    "house_rules": (409, "{sentence}"),
    "unknown_bot": (409, "unknown bot {bot!r}: choose one of {known}"),
    "too_many_bots": (409, "{bots} bots are too many: {players} players leave {most} for bots"),
    "name_characters": (409, "a name may not contain control characters"),
    "name_empty": (409, "a name needs at least one letter"),
    # telling people that it is their turn
    "no_push": (409, "this server sends no notifications"),
    "unknown_push_service": (409, "this server does not know the push service of your browser"),
    # reviews
    "no_review": (404, "there is no such review"),
    "bad_record": (409, "this is no record of a game that can be read (line {line}): {problem}"),
    "record_not_over": (409, "the game of this record is not over: only a finished game can be reviewed"),
    "record_too_long": (409, "this game has more than {most} decisions: that is too long for a review"),
    "not_asked_here": (409, "{move} was not possible there"),
    # what may be seen
    "no_table": (404, "there is no such table"),
    "no_puzzle": (404, "there is no such puzzle"),
    "no_link": (404, "this link holds no seat"),
    "other_seat": (409, "you hold seat {seat} at this table: say that you give it up"),
    "nothing_there": (404, "there is nothing at {path}"),
    "nobody_watches": (403, "at this table nobody may watch"),
    "face_down": (403, "reserved cards lie face down at this table: it can be looked back at after the end"),
    "other_eyes": (403, "another seat's eyes can be borrowed after the end"),
    "other_site": (403, "this request comes from another site"),
    # the server
    "not_understood": (422, "{problem}"),
    "bad_request": (400, "this is not a valid HTTP request"),
    "bad_host": (400, "the Host header is not the name of a host"),
    "wrong_method": (405, "{method} is not possible here"),
    "too_slow": (408, "the request did not arrive in time"),
    "headers_too_large": (431, "the head of a request may have {bytes} bytes and {headers} headers"),
    "too_large": (413, "a message may have {most} bytes"),
    "too_many_messages": (429, "too many messages: wait a moment"),
    "too_many_requests": (429, "too many requests from your address: wait a moment"),
    "too_many_connections": (429, "too many connections from your address: close some of them"),
    "too_many_tables": (429, "too many new tables from your address: wait a moment"),
    "too_many_moves": (429, "too many moves in a short time: wait a moment"),
    "too_many_takebacks": (429, "too much was taken back in a short time: wait a moment"),
    "too_many_waiting": (409, "{most} of your tables wait for players: begin one of them, or leave it, before you open another"),
    "too_many_waiting_there": (
        409,
        "{most} tables opened from your address wait for players: wait until some have begun",
    ),
    "too_many_studies": (429, "{most} games are being studied here already: try again in a moment"),
    "too_many_own_studies": (429, "{most} games are being studied for you already: wait until one of them is done"),
    "starting": (503, "the server is starting"),
    "stopping": (503, "the server is stopping: try again in a moment"),
    "server_full": (503, "the server has no room for another connection: try again in a moment"),
    "not_stored": (503, "this could not be stored: please try again"),
    "no_database": (503, "the server cannot read its database: please try again"),
    "damaged": (503, "this table is damaged and cannot be opened: the log of the server says why"),
    "failed": (500, "the server could not do this"),
}


class Refused(Exception):
    """A request that is not carried out; `facts` are what its sentence mentions."""

    retry_after: float = 1.0  # seconds, where the status is 429
    rule: dict[str, Any] | None = None  # a RuleOut, where the code is "rule"

    def __init__(self, code: str, **facts: str | int) -> None:
        self.code, self.facts = code, facts
        self.status, sentence = REFUSALS[code]
        super().__init__(sentence.format(**facts))

    def out(self) -> dict[str, Any]:
        """The body of an HTTP answer: a RefusalOut."""
        return {"detail": str(self), "code": self.code, "facts": self.facts}


def forbidden(move: object, reason: Reason) -> Refused:
    """A move that a rule forbids."""
    refusal = Refused("rule", sentence=f"{move}: {reason.sentence()}")
    refusal.rule = {"code": reason.code, "facts": reason.facts}
    return refusal


def not_a_move(text: str, error: Exception) -> Refused:
    """A text that says no move."""
    refusal = Refused("rule", sentence=str(error))
    refusal.rule = {"code": NOT_A_MOVE, "facts": {"text": text}}
    return refusal
