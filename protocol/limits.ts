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
