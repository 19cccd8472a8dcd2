/** Every bound of the wire, with its unit in its name and its reason beside it. */

/** Protocol version spoken by this build; see rule WF8. */
export const PROTOCOL_VERSION = 1;

/** Large enough that a flood costs few messages (they are billed), small enough not to delay a keystroke. */
export const PAYLOAD_MAX_BYTES = 64 * 1024;

/** A client's control messages are small; the largest is a `create_session` with an environment. */
export const CLIENT_CONTROL_MAX_BYTES = 16 * 1024;

/** The agent's inventory is paged to stay below this. */
export const AGENT_CONTROL_MAX_BYTES = 64 * 1024;

/** A page of the inventory, which leaves room for the message around it below AGENT_CONTROL_MAX_BYTES. */
export const INVENTORY_PAGE_BYTES = 48 * 1024;

/** A delayed close is for changing one's mind; more than a day is a mistake. */
export const CLOSE_AFTER_MAX_MS = 24 * 3600 * 1000;

/** A session of its own grace is somebody's tool; more than a day without them is a mistake. */
export const GRACE_MAX_MS = 24 * 3600 * 1000;

/** Sockets of clients per workspace; a person has a handful, a classroom a few dozen. */
export const CLIENTS_MAX = 200;

/** … of which viewers have at most this many together, so that whoever works there always gets in. */
export const VIEWERS_MAX = 150;

/**
 * … and one token at most so many: an operator's pages and scripts, a viewer's link that a class watches with. A ticket
 * counts for the token it was bought with. So one token leaves most seats to others.
 */
export const TOKEN_CLIENTS_MAX = { operator: 64, viewer: 32 } as const;

/** Sessions that one client may be subscribed to. With this many handles a socket's attachment has room for 4 KiB more. */
export const CLIENT_HANDLES_MAX = 1000;

/**
 * A session's description in the registry, as JSON. The longest names fit, escaped; a longer directory or title is left
 * out. With SESSIONS_MAX of them a list is at most 4 MiB.
 */
export const SESSION_INFO_MAX_BYTES = 4096;

/**
 * Text that one client may be sent at once, and steadily: two of the longest lists, and a list of a hundred sessions a
 * second. The relay cannot see whether a client reads, so this bounds what waits for one that does not.
 */
export const TOLD_BURST_MAX_BYTES = 8 * 1024 * 1024;
export const TOLD_PER_S_MAX_BYTES = 64 * 1024;

/** … and over the life of its connection; then it dials again. Steadily reached in a quarter of an hour at least. */
export const TOLD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * What a connection is sent before it is asked to show that it reads (`read_check`): twenty times the usual history,
 * so most are never asked, and two messages for a megabyte of a flood.
 */
export const READ_CHECK_EVERY_BYTES = 1024 * 1024;

/** … and a viewer: there may be 150 of them, and what each holds without being asked adds up. */
export const VIEWER_READ_CHECK_EVERY_BYTES = 512 * 1024;

/**
 * … and what all connections of a workspace together may leave unread beyond that. An honest agent has at most 32 MiB on
 * its way (OU9), and what was read is shown one round trip later.
 */
export const UNREAD_MAX_BYTES = 48 * 1024 * 1024;

/** … and those of one token, or of all viewers. An honest agent has at most 16 MiB on its way to all viewers. */
export const TOKEN_UNREAD_MAX_BYTES = {
  viewer: 24 * 1024 * 1024,
  operator: 40 * 1024 * 1024,
  agent: 40 * 1024 * 1024,
} as const;

/** A token with so many connections that were closed and have not ended, or that hold so much, gets no other. */
export const TOKEN_CLOSING_MAX = 32;
export const TOKEN_CLOSING_MAX_BYTES = 4 * 1024 * 1024;

/**
 * … and of a workspace. Beyond, the object is reset, which ends all of them. Neither all viewers together get so far nor
 * one operator's token, nor both in number: they have 150 and 64 connections, open and closing. A network that fails
 * every few seconds may.
 */
export const CLOSING_MAX = 256;
export const CLOSING_MAX_BYTES = 128 * 1024 * 1024;

/** Connections that an isolate accepts only to say why they are closed, until they have ended; others get a status. */
export const TURNED_AWAY_MAX = 16;

/** … of which so many of one workspace, so that others can still be told. */
export const WORKSPACE_TURNED_AWAY_MAX = 4;

/** The mark that a `read_check` asks for. */
export const READ_MARK_MAX_CHARS = 32;

/**
 * … and of lists that one token asks for, over all its connections and HTTP: two of the longest at once, then a list of
 * a thousand ordinary sessions every two seconds.
 */
export const LISTS_BURST_MAX_BYTES = 8 * 1024 * 1024;
export const LISTS_PER_S_MAX_BYTES = 256 * 1024;

/**
 * What one workspace may do before its object pauses for others, in units of about 25 µs: a turn of 2.5 ms. A key of
 * somebody else passes the relay twice and may meet one each time. A message costs 1 and 1 more for each KiB; a frame 1 and 1
 * more for each 64 KiB, and nearly as much again for each recipient.
 */
export const TURN_COST = 100;

/** … and steadily: half of one core. 64 sessions that each print all the time send 13 000 frames a second. */
export const TURN_COST_PER_S = 20_000;

/**
 * … of which all connections of one token may use so much with what they send, once more of it at once, and owe as much
 * before they are closed: a viewer a quarter, so that those who type are served beside it.
 */
export const TOKEN_SENDS_PER_S = { operator: 10_000, viewer: 5_000 } as const;

/**
 * … and of which all streams of one token (HTTP, single-terminal mode) may be sent so much, and once more of it at once. They end in the
 * Worker, where each frame costs several times what it costs to pass on. Beyond it a stream is cut, and resumes a moment later.
 */
export const STREAMED_PER_S = 5_000;

/** Bodies of requests that an isolate reads, but for short ones: a second of the fastest typist would be some kilobytes. */
export const BODIES_PER_S_MAX_BYTES = 16 * 1024 * 1024;

/** Of bodies that one token sends, as much counts as another request. */
export const BODY_BYTES_PER_REQUEST = 64 * 1024;

/** One pause lasts at most this long; an object that lets nothing in for 30 s is reset by the platform. */
export const PAUSE_MAX_MS = 2_000;

/**
 * Rows of the registry that an agent may write at once and steadily: four inventories, and each of 64 sessions three
 * times a second. Beyond, what changes by itself (title, directory, last activity) is not written.
 */
export const ROWS_BURST_MAX = 4 * 1000;
export const ROWS_PER_S_MAX = 200;

/** Sessions the relay keeps a description of, per workspace; it answers `session_limit` beyond. */
export const SESSIONS_MAX = 1000;

/**
 * Sessions that a client takes in one list. A relay lists 1000, and 200 that ended or were lost; a later one may know
 * more. A page without any counts as one.
 */
export const LISTED_MAX_SESSIONS = 2400;

/** Lists are cut into pages of at most this, so that no message delays a keystroke. */
export const LIST_PAGE_MAX_BYTES = 64 * 1024;

/** Tabs of a saved layout: with the longest names it stays within a client's control message. */
export const LAYOUT_MAX_TABS = 48;

/** Terminal sizes beyond this are mistakes or attacks: 1000 × 1000 cells are already 12 MB of screen. */
export const SIZE_MAX_CELLS = 1000;

/** Long enough for any title a person reads, short enough to print anywhere. */
export const NAME_MAX_CHARS = 256;

/** The name of a signal; real ones have a dozen. */
export const SIGNAL_MAX_CHARS = 64;

/** Variables for a new session; what they have in all is bounded by the message. */
export const ENVIRONMENT_MAX = 512;

/** Clients a `presence` may name: a later relay may have more seats than this one. */
export const PRESENCE_MAX = 10_000;

/** Longest path Linux takes (PATH_MAX). */
export const PATH_MAX_CHARS = 4096;

/**
 * A client acknowledges output at the latest after this many bytes: an eighth of the largest window. Smaller windows ask
 * for more. At 256 KiB a flood would cost 20 messages a MiB, at this 18: 16 full frames, and 2 of these.
 */
export const ACK_EVERY_BYTES = 512 * 1024;

/** … and after this long of steady output, well before the agent takes it for stalled (2 s), however slow the path. */
export const ACK_STEADY_MS = 500;

/** … and after this much quiet, so that the last bytes of a burst are acknowledged too. */
export const ACK_QUIET_MS = 50;

/** Input waiting for a program that does not read; a large paste fits, a runaway script does not. */
export const INPUT_BACKLOG_MAX_BYTES = 1024 * 1024;

/** Input a client sends ahead of acknowledgements: a paste flows, and a quarter of the backlog above is never exceeded. */
export const INPUT_WINDOW_BYTES = 256 * 1024;

/** A refused frame is sent again this much later: the program did not read, and may still not. */
export const INPUT_RETRY_MS = 500;

/** Typing while disconnected that is kept for the reconnect; a line or two, not a script. */
export const OFFLINE_INPUT_MAX_BYTES = 4096;

/** … and for this long: a command that fires when nobody remembers typing it does harm. */
export const OFFLINE_INPUT_MAX_MS = 30_000;

/** An agent that was challenged proves its key with its first message; a slow path and a sleeping object fit in. */
export const PROVE_WITHIN_MS = 10_000;

/**
 * Agents per workspace that were challenged and have proven nothing yet. The oldest goes first, so whoever has only a
 * stolen token would have to open this many sockets within one round trip of the true agent to keep it out.
 */
export const PENDING_AGENTS_MAX = 16;

/** Heartbeats of an agent that has not proven its key: it is to prove it within seconds, and sends one every quarter of a minute. */
export const PENDING_PINGS_MAX = 4;

/** The one message that such an agent may send is `prove`. */
export const PROVE_MAX_BYTES = 256;

/** Of a CSI sequence, without its introducer and final byte. No sequence with a meaning is longer; longer ones are dropped. */
export const CSI_MAX_CHARS = 256;

/** Of a control string (OSC, DCS, APC, PM, SOS) that is kept until its end. The address of a link is the longest one known. */
export const STRING_MAX_CHARS = 8192;

/** A sentence for a person: what was refused, or why a connection ended. Longer ones are cut where they are shown. */
export const SENTENCE_MAX_CHARS = 4096;

/** Combining marks on one character. Tibetan and Hebrew need about six; hundreds cover the lines above and below. */
export const COMBINING_MARKS_MAX = 8;

/** Fields of one list of colours (OSC 4, OSC 104): each of the 256 colours with its value. */
export const COLOUR_FIELDS_MAX = 512;

/**
 * Text of one cell of a terminal, in UTF-16 units. The longest emoji of Unicode has 15, a syllable with all its marks fewer; what
 * comes after this many only hides the lines around it.
 */
export const CELL_MAX_CHARS = 32;

/** Names of people in tokens (`sub`): as long as any other name. */
export const SUB_MAX_CHARS = NAME_MAX_CHARS;

/** Audit rows of what people did (typed, created, closed, …): months of ordinary work in about a megabyte. */
export const AUDIT_ACTIONS_MAX_ROWS = 2000;

/** Audit rows of who came and went; apart, so that coming and going never removes what was done. */
export const AUDIT_VISITS_MAX_ROWS = 1000;

/** Audit rows of what was refused; apart, because anybody with a token can cause refusals. */
export const AUDIT_REFUSALS_MAX_ROWS = 500;

/** New action rows for one person in an hour; further ones share a row, so that nobody can flush the trail quickly. */
export const AUDIT_ACTIONS_MAX_PER_HOUR = 120;

/** … and new rows for coming and going: about thirty sessions opened and left. */
export const AUDIT_VISITS_MAX_PER_HOUR = 60;

/** … and new rows for refusals: the first of each kind tells the story. */
export const AUDIT_REFUSALS_MAX_PER_HOUR = 20;

/** Audit rows older than this are removed: long enough for an investigation, short enough for data protection rules. */
export const AUDIT_KEPT_MS = 30 * 24 * 3600 * 1000;

/** The same action by the same token in the same session within this time is one row with a count. */
export const AUDIT_COALESCE_MS = 60_000;

/** … coming and going: a flaky network reconnects every few minutes. */
export const AUDIT_VISIT_COALESCE_MS = 15 * 60_000;

/** … and typing: one row an hour says from when until when somebody typed. */
export const AUDIT_TYPED_COALESCE_MS = 3600 * 1000;

/** What a client types in a session is noted at most this often: the trail is exact to the minute. */
export const TYPED_NOTE_EVERY_MS = 60_000;

/** Two people typing in turn change who typed last at most this often in storage: sends wait for writes. */
export const TYPED_LAST_EVERY_MS = 5_000;

/** The detail of an audit row (a session's name, a reason): one line in a terminal. */
export const AUDIT_DETAIL_MAX_CHARS = 128;

/** Entries in one answer of the audit route; a page of the longest names stays below a megabyte. */
export const AUDIT_PAGE_MAX_ROWS = 500;

/** Sessions a client's socket remembers to have attached to; the socket's attachment holds 16 KiB. */
export const ATTACHED_REMEMBERED_MAX = 32;

/**
 * Output on its way to all viewers of a workspace together: half of what all clients may have (rule OU9). Viewers that
 * read nothing leave the other half to operators.
 */
export const VIEWERS_IN_FLIGHT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Replays and snapshots on their way to one client beside its window, before the next one waits: eight histories of the
 * usual size. A page that switches between tabs stays far below.
 */
export const REPLAYS_IN_FLIGHT_MAX_BYTES = 2 * 1024 * 1024;

/** Echoes of a client's sessions that are sent although its window is full: eight sessions of 4 KiB each. */
export const ECHO_ROOM_MAX_BYTES = 32 * 1024;

/** Pictures (`take_snapshot`) that one client waits for; a program that wants more asks for one after another. */
export const SNAPSHOTS_WAITING_MAX = 8;

/**
 * Instances with a promise (`once`, an Idempotency-Key) that an agent remembers per session; a new one is refused with
 * `slow_down` rather than forgetting one of the last hour. Three requests a second for an hour.
 */
export const INPUT_PROMISES_MAX = 10_000;

/** A repeated Idempotency-Key types nothing for at least this long after it was last used. */
export const INPUT_PROMISE_KEPT_MS = 3_600_000;

/** Instances without a promise that an agent remembers per session; whoever comes back after so many says where it was. */
export const INPUT_INSTANCES_MAX = 10_000;

/** … and none that typed within this time is forgotten: longer than a client waits to send input again. */
export const INPUT_INSTANCE_KEPT_MS = 60_000;

/** Answers to a program's questions that wait for it to read them; beyond, they are dropped. A few dozen of them. */
export const ANSWER_BACKLOG_MAX_BYTES = 4096;

/** Input as short as this with Ctrl-C, Ctrl-\ or Ctrl-Z in it is keys, not a paste: it is taken with a full backlog too. */
export const SIGNAL_FRAME_MAX_BYTES = 16;

/** … up to so much of it. */
export const SIGNAL_BACKLOG_MAX_BYTES = 4096;

/** Descriptions of sessions are refreshed at most this often, however many clients ask. */
export const REFRESH_EVERY_MS = 250;

/** Refreshes that one client waits for: one for each session it looks at, and some. */
export const REFRESHES_WAITING_MAX = 8;

/** Arguments of a program; a build script's longest command lines have a few dozen. */
export const ARGS_MAX = 256;

/** An argument, or the value of a variable: as long as the whole message may be. */
export const ARG_MAX_CHARS = CLIENT_CONTROL_MAX_BYTES;

/** Variables that a session is given beside those of the agent; the agent refuses more. */
export const ENV_VARIABLES_MAX = 128;

/** Far longer than any name that is used. */
export const ENV_NAME_MAX_CHARS = 128;

/** Clocks of token makers and of operators may differ from the relay's by this much; a token from further ahead is refused. */
export const CLOCK_SKEW_MAX_S = 300;

/** The page's cookie: browsers send it to every port of localhost, so what another program gets is worth this long. */
export const PAGE_COOKIE_LIFETIME_S = 900;

/** The page replaces its cookie at this age: one failed try and a slow network still leave minutes. */
export const PAGE_COOKIE_RENEW_MS = 600_000;

/** A page says so long before its login ends for good: time to ask somebody for a link. */
export const LOGIN_ENDING_MS = 900_000;

/** A link that is pasted into the page: tokens have hundreds of characters, and addresses are short. */
export const PASTED_LINK_MAX_CHARS = 8_192;

/** A challenge for renewing a login is signed and sent back at once; a minute allows for a slow phone. */
export const CHALLENGE_LIFETIME_S = 60;

/** Tokens that a workspace remembers as revoked by name; beyond it, revoke by moment. */
export const REVOCATIONS_MAX = 10_000;

/** Revoked names in one answer: about 12 KB. */
export const REVOCATIONS_PAGE_MAX = 100;

/** Failed authentications from one source in a window, before it is told to wait; a retrying agent stays far below. */
export const AUTH_FAILURES_PER_SOURCE_MAX = 30;

/** … and from all sources together, before a failing one is told to wait. It never concerns a credential that holds. */
export const AUTH_FAILURES_IN_ALL_MAX = 600;

/** The window of both, and so the longest anybody is told to wait. */
export const AUTH_FAILURES_WINDOW_MS = 60_000;

/** Sources that are remembered; the oldest is forgotten first. About 200 KB. */
export const AUTH_SOURCES_MAX = 1_000;

// ── Snapshots ──────────────────────────────────────────────────────────────────────────────────────

/**
 * A snapshot inflated. 1000 × 1000 cells that each have their own 24-bit colour are 20 MiB of output, and the usual
 * history of 5000 lines is 12 MiB at 120 columns of such cells. A relay's isolate has 128 MB.
 */
export const SNAPSHOT_INFLATED_MAX_BYTES = 32 * 1024 * 1024;

/** … and deflated: random colours, which compress worst, deflate to a quarter. Twice that is allowed. */
export const SNAPSHOT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Raw deflate fed to an inflater at once. It may become 1032 times as much before anybody can count it, so this bounds
 * what a bomb costs beyond the limit: 8 MiB.
 */
export const INFLATE_SLICE_BYTES = 8 * 1024;

/** … to begin with, and after a slice that became much: so a bomb is undone 1 MiB at a time, in about 3 ms. */
export const INFLATE_SLICE_MIN_BYTES = 1024;

/** All requests of an isolate together have so much inflated: a tenth of its time. The largest snapshot takes half a second. */
export const INFLATED_PER_S_MAX_BYTES = 16 * 1024 * 1024;

/** … of which one gets so much at once; ordinary snapshots fit. */
export const INFLATED_SLICE_MAX_BYTES = 512 * 1024;

/** Snapshots that one isolate of the relay holds for HTTP answers, inflated and deflated: half of its memory. */
export const ANSWERS_HELD_MAX_BYTES = 64 * 1024 * 1024;

/** … and those of one workspace, so that another can still be answered. */
export const WORKSPACE_ANSWERS_HELD_MAX_BYTES = 48 * 1024 * 1024;

/** What terminals in single-terminal mode have not shown to have read, in an isolate and of one workspace. */
export const TERMINALS_UNREAD_MAX_BYTES = 96 * 1024 * 1024;
export const WORKSPACE_TERMINALS_UNREAD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Output that the terminals of one workspace were sent and that their shared line has not passed yet. An agent that waits for
 * acknowledgements has at most 48 MiB on its way (OU9, OU20); screens come deflated and are counted as they are shown.
 */
export const WORKSPACE_TERMINALS_AHEAD_MAX_BYTES = 64 * 1024 * 1024;

/** … where each frame counts for so much more: what is kept to acknowledge it takes memory, however short it is. */
export const TERMINAL_WRITE_COST_BYTES = 512;

/** Objects that a workspace's terminals in single-terminal mode have on a relay of one's own; each leaves a file on its disk. */
export const TERMINAL_INLETS_MAX = 8;

/** A reader that takes nothing of an HTTP answer or stream for this long is gone; a slow line takes 64 KiB in it. */
export const READER_STALLED_MS = 120_000;

/**
 * Output that waits at a client for its screen, a stream's reader or a search: what an agent may still have to parse
 * when it takes a snapshot (8 MiB), and four of the widest windows (OU9).
 */
export const FOLLOW_QUEUE_MAX_BYTES = 24 * 1024 * 1024;

/**
 * … of which a client lets so much gather before it asks the agent to stop, and two windows may still be on their way.
 * Bytes alone do not get there in one attachment; very short frames for hours do, and many reconnects.
 */
export const SCREEN_BEHIND_BYTES = 16 * 1024 * 1024;

/** What waits counts as this much more for each frame, announcement and change of size: Node takes 400 to 700 bytes. */
export const QUEUED_ITEM_BYTES = 1024;

// ── Searches (`wait`) ──────────────────────────────────────────────────────────────────────────────

/** Characters of a pattern or a text to wait for. A compiler's longest message fits. */
export const PATTERN_MAX_CHARS = 256;

/** Characters a pattern matches after its repetitions are written out: a text of the length above just fits. */
export const PATTERN_STATES_MAX = 256;

/** Pieces and alternatives that compiling writes out; an empty group repeated a million times has no states. */
export const PATTERN_BUILD_STEPS_MAX = 4096;

/** Transitions that a search remembers. The places of a literal of the longest length fit twice. */
export const PATTERN_CACHE_MAX_BYTES = 640 * 1024;

/**
 * The work of a search is counted in steps, because a Worker's clock stands still while it computes. A step is one
 * character in a place that is remembered, or one 32-bit word of a set of states: 1 to 5 ns.
 */
export const SEARCH_SLICE_STEPS = 500_000;

/** All searches of an isolate together: a quarter of its time at most, or 12 MB/s of output with ordinary patterns. */
export const SEARCH_STEPS_PER_S = 25_000_000;

/** Searches of one workspace at once. Each remembers up to PATTERN_CACHE_MAX_BYTES. */
export const SEARCHES_MAX = 16;

/** … and of its viewers: a search may wait for a day, and operators must find room. */
export const VIEWERS_SEARCHES_MAX = 8;

/**
 * HTTP requests of one token that are worked on at once; the others wait and then come one after the other, so many a
 * second. What is inflated for one costs one more for each MiB.
 */
export const REQUESTS_AT_ONCE_MAX = 8;
export const REQUESTS_PER_S_MAX = 100;

/** … and of all tokens of one role in a workspace: twice as many, about a fifth of a core. */
export const WORKSPACE_REQUESTS_AT_ONCE_MAX = 16;
export const WORKSPACE_REQUESTS_PER_S_MAX = 200;

/** How long a request waits for that at most; who owes more is refused. */
export const REQUEST_WAIT_MAX_MS = 2_000;

/** Requests of all tokens that an isolate lets wait; each takes memory. */
export const REQUESTS_WAITING_MAX = 1000;

/** … of which one workspace has at most so many, so that those of others may wait. */
export const WORKSPACE_REQUESTS_WAITING_MAX = 250;

/** The path of a request. Ours have some 200 characters, with the longest names; names of a workspace may be escaped. */
export const URL_PATH_MAX_CHARS = 2048;

/** Requests that an isolate refuses at once without delay, and a second; a person mistypes a link now and then. */
export const REFUSALS_BURST_MAX = 50;
export const REFUSALS_PER_S_MAX = 20;

/** … and each beyond is answered this much later: whoever tries one after the other gets four tries a second. */
export const REFUSAL_DELAY_MS = 250;

/** Answers that are held back at once; the others are given without delay, because waiting ones take memory. */
export const REFUSALS_HELD_MAX = 1000;

/** Tokens, or workspaces, whose requests or lists are counted; beyond, the one that was used longest ago is forgotten. */
export const METERED_TOKENS_MAX = 10_000;

/** Frames of an announced snapshot come one after the other; a machine that sends none for this long has stopped. */
export const SNAPSHOT_FRAME_WITHIN_MS = 10_000;

/** A search ends after this many: 1 GB of output with an ordinary pattern, 1 MB with the costliest. */
export const SEARCH_STEPS_MAX = 2_000_000_000;

// ── Links in output (OSC 8) ────────────────────────────────────────────────────────────────────────

/** Id and target of one link: what browsers and terminals agree to be a long address. A longer one is text without a link. */
export const LINK_MAX_CHARS = 2083;

/** Link targets one terminal remembers: all of a large directory listing. */
export const LINKS_MAX_CHARS = 512 * 1024;
