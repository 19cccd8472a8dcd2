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
 * second. The relay can not see whether a client reads, so this bounds what waits for one that does not.
 */
export const TOLD_BURST_MAX_BYTES = 8 * 1024 * 1024;
export const TOLD_PER_S_MAX_BYTES = 64 * 1024;

/** … and over the life of its connection; then it dials again. Steadily reached in a quarter of an hour at least. */
export const TOLD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * What an agent's control messages may cost at once and steadily; one costs 1 and 1 more for each KiB, times the
 * clients it is for. 200 clients that attach to all their sessions at the same moment cause some 180 000.
 */
export const AGENT_BURST_COST = 200_000;
export const AGENT_COST_PER_S = 20_000;

/**
 * Rows of the registry that an agent may write at once and steadily: four inventories, and each of 64 sessions three
 * times a second. Beyond, what changes by itself (title, directory, last activity) is not written.
 */
export const ROWS_BURST_MAX = 4 * 1000;
export const ROWS_PER_S_MAX = 200;

/** Sessions the relay keeps a description of, per workspace; it answers `session_limit` beyond. */
export const SESSIONS_MAX = 1000;

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

/** A sentence for a person, with a path in it perhaps. */
export const SENTENCE_MAX_CHARS = 1024;

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
 * what a bomb costs beyond the limit: 16 MiB.
 */
export const INFLATE_SLICE_BYTES = 16 * 1024;

/** Snapshots that one isolate of the relay holds for HTTP answers, inflated and deflated: half of its memory. */
export const ANSWERS_HELD_MAX_BYTES = 64 * 1024 * 1024;

/** … and those of one workspace, so that another can still be answered. */
export const WORKSPACE_ANSWERS_HELD_MAX_BYTES = 48 * 1024 * 1024;

/** A reader that takes nothing of an HTTP answer or stream for this long is gone; a slow line takes 64 KiB in it. */
export const READER_STALLED_MS = 120_000;

/**
 * Output that waits at a client for its screen, a stream's reader or a search: what an agent may still have to parse
 * when it takes a snapshot (8 MiB), and four of the widest windows (OU9).
 */
export const FOLLOW_QUEUE_MAX_BYTES = 24 * 1024 * 1024;

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
export const SEARCH_SLICE_STEPS = 8_000_000;

/** Between two slices, of all searches of an isolate: they use about half of its time together. */
export const SEARCH_PAUSE_MS = 25;

/** A search ends after this many: 1 GB of output with an ordinary pattern, 1 MB with the costliest. */
export const SEARCH_STEPS_MAX = 2_000_000_000;
