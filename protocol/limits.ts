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

/** Clocks of token makers and of operators may differ from the relay's by this much; a token from further ahead is refused. */
export const CLOCK_SKEW_MAX_S = 300;

/** The name of a person in a token (`sub`); identity providers use at most 255 characters. */
export const SUBJECT_MAX_CHARS = 256;

/** The page's cookie: browsers send it to every port of localhost, so what another program gets is worth this long. */
export const PAGE_COOKIE_LIFETIME_S = 900;

/** The page replaces its cookie at this age: one failed try and a slow network still leave minutes. */
export const PAGE_COOKIE_RENEW_MS = 600_000;

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
