/**
 * Every limit of the protocol: one table, ordered by subject, from which docs/configuration.md takes its own. It stays
 * in one file, because limits are chosen in relation to each other. Each constant has its unit in its name and its
 * reason in its comment.
 */

// ── Frames and messages ────────────────────────────────────────────────────────────────────────────

/** The protocol version of this build; see rule WF8. */
export const PROTOCOL_VERSION = 1;

/**
 * The largest payload of a data frame. Large enough that a flood needs few messages, which are billed; small enough not
 * to delay a keystroke.
 */
export const PAYLOAD_MAX_BYTES = 64 * 1024;

/** The largest control message of a client. They are small; the largest is a `create_session` with an environment. */
export const CLIENT_CONTROL_MAX_BYTES = 16 * 1024;

/** The largest control message of an agent. The inventory is split into pages to stay below it. */
export const AGENT_CONTROL_MAX_BYTES = 64 * 1024;

/** The size of an inventory page. It leaves room for the message around it below AGENT_CONTROL_MAX_BYTES. */
export const INVENTORY_PAGE_BYTES = 48 * 1024;

/** The size of a page of a list. Lists are split so that no message delays a keystroke. */
export const LIST_PAGE_MAX_BYTES = 64 * 1024;

/** The length of a name or title: long enough for anything a person reads, short enough to print anywhere. */
export const NAME_MAX_CHARS = 256;

/** The length of a path: the longest that Linux accepts (PATH_MAX). */
export const PATH_MAX_CHARS = 4096;

/** The length of a sentence for people: why something was refused or a connection ended. Longer ones are cut. */
export const SENTENCE_MAX_CHARS = 4096;

/**
 * The length of the sentence in which an agent says why it was started with less. The longest of ours has half of this;
 * the relay keeps it with the agent's connection, where there is little room. Longer ones are cut.
 */
export const TROUBLE_MAX_CHARS = 300;

/** The length of a signal's name. Real ones have a dozen characters. */
export const SIGNAL_MAX_CHARS = 64;

/** The length of the version of a width model, as in `17-clusters`. */
export const WIDTHS_MAX_CHARS = 32;

/** The length of a command line that a shell reports. Longer ones are kept without their text: a cut one is another. */
export const COMMAND_LINE_MAX_CHARS = 2048;

/** Commands of a session that are listed: a day of work at a prompt. Older ones are forgotten. */
export const COMMANDS_KEPT = 200;

/**
 * The text of all listed command lines of a session: five times that of 200 ordinary ones. Beyond it the oldest lose
 * their text, so that a list stays a few messages long.
 */
export const COMMAND_LINES_KEPT_MAX_CHARS = 64 * 1024;

/**
 * The longest list of a session's commands, in bytes of JSON: three for each character of all command lines, and the
 * other fields. A request for one counts as this much until it is answered; otherwise a burst of short requests would be
 * answered with hundreds of megabytes before the first answer has counted.
 */
export const COMMAND_LIST_MAX_BYTES = 256 * 1024;

/** The size of a session's commands on disk, which are written again after each one. The newest that fit are kept. */
export const COMMANDS_STORED_MAX_BYTES = 64 * 1024;

/**
 * The longest mark of a shell: a command line with four bytes for each character, as a character or an escape, and its
 * other parameters.
 */
export const MARK_MAX_BYTES = 4 * COMMAND_LINE_MAX_CHARS + 512;

/**
 * Marks without the nonce that an agent reads per second in a session's output; ten times as many as the fastest shell
 * prints. Further ones are skipped: a flood of them would take a second of its time for every 6 MB.
 */
export const MARKS_PER_S_MAX = 5000;

/** The length of the nonce in the marks of our shell scripts, which has 22 characters. */
export const MARK_NONCE_MAX_CHARS = 64;

/** The length of the name by which an assistant calls itself. People read it in one line. */
export const ACTOR_MAX_CHARS = 64;

/** The length of a text that a program shows to get attention. Notifications of systems show less. */
export const ATTENTION_TEXT_MAX_CHARS = 256;

/** The length of a command line that is run in a shell, and of a text that an assistant types at once. */
export const TYPED_TEXT_MAX_CHARS = 4096;

/**
 * What is kept of the beginning and of the end of a run's output, in bytes as printed. Both together are as much as a
 * person, or a model, reads of a log; the answer fits a message even if every character has to be escaped.
 */
export const RUN_HEAD_MAX_BYTES = 8 * 1024;
export const RUN_TAIL_MAX_BYTES = 16 * 1024;

/** The length of a run's output as text: what is kept of it, with a line that says what is missing. */
export const RUN_OUTPUT_MAX_CHARS = RUN_HEAD_MAX_BYTES + RUN_TAIL_MAX_BYTES + 256;

/** How long an agent waits for a command or for attention before it answers; callers ask again. */
export const AWAIT_MAX_MS = 240_000;

/** Requests of one client that wait at the same time: for a run, a command or attention. */
export const AWAITS_PER_CLIENT_MAX = 8;

/** Runs that a session remembers, so that a repeated request is not typed again: the ones of an hour of steady work. */
export const RUNS_KEPT = 256;

/** How long a run waits for the first prompt of a shell that has just been started. */
export const FIRST_PROMPT_MAX_MS = 5_000;

/** An assistant keeps the keyboard for this long after its last call. */
export const KEYBOARD_HELD_MS = 30_000;

/** Assistants that may wait for the keyboard of a session. */
export const KEYBOARD_QUEUE_MAX = 8;

/** How long a call of an MCP tool takes at most, unless its caller asks for more: some clients give up after a minute. */
export const MCP_CALL_MS = 50_000;

/** How long a call may take if its caller asks for it: as long as an agent waits. */
export const MCP_CALL_MAX_MS = AWAIT_MAX_MS;

/** How often the caller of an MCP tool hears that its call goes on, if it wants to. */
export const MCP_PROGRESS_EVERY_MS = 5_000;

/**
 * The token with which an MCP client asks for progress. It is sent back with every progress, also to a client that reads
 * nothing; without it a call is answered without progress.
 */
export const MCP_PROGRESS_TOKEN_MAX_CHARS = 256;

/** The length of the text that a tool answers: about as much as a model reads with care. */
export const MCP_TEXT_MAX_BYTES = 32 * 1024;

/** The length of a message from an MCP client. The longest that is valid types a text in which all has to be escaped. */
export const MCP_MESSAGE_MAX_BYTES = 64 * 1024;

/** Keys that one call may press; longer input is text. */
export const MCP_KEYS_MAX = 64;

/** The length of a key by which a call can be repeated. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;

/** Commands that a digest names for each session. */
export const DIGEST_COMMANDS_MAX = 10;

/** What an agent can do, as it tells in its `hello`: names, and their length. A later agent may know more. */
export const ABILITIES_MAX = 32;
export const ABILITY_MAX_CHARS = 32;

/** The length of the mark in a `read_check`. */
export const READ_MARK_MAX_CHARS = 32;

/** Arguments of a program. The longest command lines of build scripts have a few dozen. */
export const ARGS_MAX = 256;

/** The length of an argument, or of a variable's value: as long as the whole message may be. */
export const ARG_MAX_CHARS = CLIENT_CONTROL_MAX_BYTES;

/** Environment variables of a new session in a message. Their total size is bounded by the message. */
export const ENVIRONMENT_MAX = 512;

/**
 * Columns or rows of a terminal. Larger sizes are mistakes or attacks: 1000 × 1000 cells are already 12 MB of screen.
 */
export const SIZE_MAX_CELLS = 1000;

/** Clients that a `presence` message may name. A later relay may have more seats than this one. */
export const PRESENCE_MAX = 10_000;

/** Tabs of a saved layout. With the longest names, the layout still fits a client's control message. */
export const LAYOUT_MAX_TABS = 48;

/** Tabs of a saved layout that are split: each has two terminals at least. */
export const LAYOUT_MAX_SPLITS = LAYOUT_MAX_TABS / 2;

/** Terminals side by side in one tab. With more, none can be read; and a browser draws 16 fast ones at most. */
export const SPLIT_MAX_PANES = 8;

/** How often a pane of a tab is divided. Four times leaves a sixteenth of the window. */
export const SPLIT_MAX_DEPTH = 4;

/** The share of a divided area that each part has at least, in percent, so that none is lost from sight. */
export const SPLIT_MIN_PERCENT = 10;

export const SPLIT_MAX_PERCENT = 100 - SPLIT_MIN_PERCENT;

// ── Sessions ───────────────────────────────────────────────────────────────────────────────────────

/**
 * Sessions that the relay keeps a description of, per workspace. Beyond it a new session is refused with
 * `session_limit`.
 */
export const SESSIONS_MAX = 1000;

/**
 * Sessions that a client accepts in one list. A relay lists 1000, and 200 that ended or were lost; a later relay may
 * know more. An empty page counts as one session.
 */
export const LISTED_MAX_SESSIONS = 2400;

/**
 * The size of a session's description in the registry, as JSON. The longest names fit, even escaped; a longer directory
 * or title is left out. With SESSIONS_MAX of them a list is at most 4 MiB.
 */
export const SESSION_INFO_MAX_BYTES = 4096;

/**
 * Registry rows that an agent may write in a burst and per second: four inventories, and then each of 64 sessions three
 * times a second. Beyond it, changes of title, directory and last activity are not written.
 */
export const ROWS_BURST_MAX = 4 * 1000;
export const ROWS_PER_S_MAX = 200;

/** Descriptions of sessions are refreshed at most this often, however many clients ask. */
export const REFRESH_EVERY_MS = 250;

/** Pending refreshes of one client: one for each session it shows, and some more. */
export const REFRESHES_WAITING_MAX = 8;

/** Environment variables of a session in addition to those of the agent. The agent refuses more. */
export const ENV_VARIABLES_MAX = 128;

/** The length of a variable's name: far longer than any name in use. */
export const ENV_NAME_MAX_CHARS = 128;

/**
 * How much of a running program's command line an agent reads to name it. Options and the name of a script come first; a
 * program may have megabytes of arguments, and it is named for every client that attaches.
 */
export const COMMAND_LINE_READ_MAX_BYTES = 4096;

/** The longest delay of a delayed close. The delay is for changing one's mind; more than a day is a mistake. */
export const CLOSE_AFTER_MAX_MS = 24 * 3600 * 1000;

/**
 * The longest grace period of a single session. Such a session is a person's tool; more than a day without them is a
 * mistake.
 */
export const GRACE_MAX_MS = 24 * 3600 * 1000;

// ── Clients and their connections ──────────────────────────────────────────────────────────────────

/** Client sockets per workspace. A person has a handful, a classroom a few dozen. */
export const CLIENTS_MAX = 200;

/**
 * Client sockets of all viewers in a workspace together. The rest of CLIENTS_MAX is left for operators, so that they
 * can always connect.
 */
export const VIEWERS_MAX = 150;

/**
 * Client sockets of one token: for an operator's pages and scripts, or a viewer's link that a class shares. A ticket
 * counts for the token it was bought with. One token therefore leaves most seats to others.
 */
export const TOKEN_CLIENTS_MAX = { operator: 64, viewer: 32 } as const;

/** Sessions that one client may be subscribed to. With this many handles, a socket's attachment has 4 KiB left. */
export const CLIENT_HANDLES_MAX = 1000;

/** Sessions that a client's socket remembers to show, and those that it drives: more than a window has room for. */
export const WATCHED_REMEMBERED_MAX = 32;

/** People that are named for a session, the first that came. More fit into no tooltip. */
export const PEOPLE_MAX = 16;

/** The length of a person's name where others see it. */
export const PERSON_NAME_MAX_CHARS = 64;

/** What changes within this time, about who watches a session, is told together. */
export const PEOPLE_TOLD_AFTER_MS = 1000;

/**
 * Sessions of which people are told at a time. With 200 clients these are 1600 texts a second, an eighth of what a
 * workspace may do.
 */
export const PEOPLE_TOLD_MAX_SESSIONS = 8;

/** Sessions that a client's socket remembers having attached to. The socket's attachment holds 16 KiB. */
export const ATTACHED_REMEMBERED_MAX = 32;

/**
 * Requests of one client that the relay remembers until they are answered, to know whose answer it is. A page with more
 * tabs than that attaches to all of them at once; then the agent's word counts until all are answered. [AU1]
 */
export const ASKED_REMEMBERED_MAX = 256;

/**
 * A token with this many connections that the relay closed but that have not ended, or with this many unread bytes in
 * them, gets no further connection.
 */
export const TOKEN_CLOSING_MAX = 32;
export const TOKEN_CLOSING_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Closed connections of a workspace that have not ended, and the unread bytes in them. Beyond either limit the object
 * is reset, which ends all connections. Neither all viewers together nor one operator's token can reach it, nor both
 * together in number: they have 150 and 64 connections, open and closing. A network that fails every few seconds may.
 */
export const CLOSING_MAX = 256;
export const CLOSING_MAX_BYTES = 128 * 1024 * 1024;

/**
 * Connections that an isolate accepts only to close them with a code, counted until they have ended. Others get an HTTP
 * status.
 */
export const TURNED_AWAY_MAX = 16;

/** The part of TURNED_AWAY_MAX that one workspace may use, so that clients of others still get a close code. */
export const WORKSPACE_TURNED_AWAY_MAX = 4;

// ── What a connection is sent ──────────────────────────────────────────────────────────────────────

/**
 * Text that one client may be sent in a burst and per second: two of the longest lists at once, and then a list of a
 * hundred sessions each second. The relay cannot see whether a client reads, so this bounds what waits for one that
 * does not.
 */
export const TOLD_BURST_MAX_BYTES = 8 * 1024 * 1024;
export const TOLD_PER_S_MAX_BYTES = 64 * 1024;

/**
 * Text that one client may be sent over the life of its connection; then it reconnects. At the steady rate this takes
 * at least a quarter of an hour.
 */
export const TOLD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Lists that one token may request in a burst and per second, over all its connections and HTTP: two of the longest at
 * once, then a list of a thousand ordinary sessions every two seconds.
 */
export const LISTS_BURST_MAX_BYTES = 8 * 1024 * 1024;
export const LISTS_PER_S_MAX_BYTES = 256 * 1024;

/**
 * What a connection is sent before it must prove that it reads (`read_check`). This is twenty times the usual history,
 * so most connections are never asked, and a flood costs two messages per megabyte.
 */
export const READ_CHECK_EVERY_BYTES = 1024 * 1024;

/**
 * What a viewer's connection is sent before it must prove that it reads. Lower than for others, because there may be
 * 150 viewers and what each holds adds up.
 */
export const VIEWER_READ_CHECK_EVERY_BYTES = 512 * 1024;

/**
 * What all connections of a workspace together may leave unread, beyond READ_CHECK_EVERY_BYTES each (a viewer:
 * VIEWER_READ_CHECK_EVERY_BYTES). An honest agent has at most 32 MiB on its way (OU9), and reading is proven one round
 * trip later.
 */
export const UNREAD_MAX_BYTES = 48 * 1024 * 1024;

/**
 * What the connections of one token, or of all viewers together, may leave unread, beyond what each may have before it
 * is asked. An honest agent has at most 16 MiB on its way to all viewers.
 */
export const TOKEN_UNREAD_MAX_BYTES = {
  viewer: 24 * 1024 * 1024,
  operator: 40 * 1024 * 1024,
  agent: 40 * 1024 * 1024,
} as const;

// ── Turns ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * The work that one workspace may do before its object pauses for others, in units of about 25 µs: a turn of 2.5 ms. A
 * key typed in another workspace passes the relay twice and may wait for one turn each time. A message costs 1, and 1
 * more for each KiB; a frame costs 1, 1 more for each 64 KiB, and for each recipient 1.6 and as much again
 * for its bytes.
 */
export const TURN_COST = 100;

/**
 * The work that all workspaces of an isolate may do before the runtime looks at other connections, in the same units:
 * 1.25 ms. Then those that work wait until it has looked, which takes no time if nobody else does.
 */
export const UNBROKEN_COST = 50;

/**
 * The work that one workspace may do per second, in the same units: half of one core. 64 sessions that print all the
 * time send 13 000 frames a second.
 */
export const TURN_COST_PER_S = 20_000;

/**
 * The part of TURN_COST_PER_S that all connections of one token may use with what they send. A token may use as much
 * again in a burst, and may owe as much before its connections are closed. A viewer gets a quarter, so that people who
 * type are served as well.
 */
export const TOKEN_SENDS_PER_S = { operator: 10_000, viewer: 5_000 } as const;

/**
 * The part of TURN_COST_PER_S that all streams of one token (HTTP, single-terminal mode) may be sent, with as much
 * again in a burst. They end in the Worker, where each frame costs several times what forwarding it costs. Beyond it a
 * stream is closed, and resumes a moment later.
 */
export const STREAMED_PER_S = 5_000;

/**
 * The longest pause that a client makes because of a `slow_down`. A relay asks for a second or two; with a month, a
 * timer would fire at once.
 */
export const SLOW_DOWN_MAX_MS = 60_000;

/** The longest pause of an object. The platform resets an object that accepts nothing for 30 s. */
export const PAUSE_MAX_MS = 2_000;

// ── Proof of the agent's key ───────────────────────────────────────────────────────────────────────

/**
 * A challenged agent must prove its key, with its first message, within this time. It allows for a slow path and a
 * sleeping object.
 */
export const PROVE_WITHIN_MS = 10_000;

/**
 * Agents per workspace that were challenged and have not proven their key. The oldest is closed first. To keep the true
 * agent out, the thief of a token would have to open this many sockets within one of its round trips.
 */
export const PENDING_AGENTS_MAX = 16;

/**
 * Heartbeats of an agent that has not proven its key. It must prove it within seconds, and sends one every quarter of a
 * minute.
 */
export const PENDING_PINGS_MAX = 4;

/** The size of `prove`, the only message that an agent may send before it has proven its key. */
export const PROVE_MAX_BYTES = 256;

// ── Output ─────────────────────────────────────────────────────────────────────────────────────────

/**
 * A client acknowledges output at the latest after this many bytes: an eighth of the largest window. Smaller windows
 * ask for acknowledgements sooner. At 256 KiB a flood would cost 20 messages per MiB; at this size it costs 18: 16 full
 * frames and 2 acknowledgements.
 */
export const ACK_EVERY_BYTES = 512 * 1024;

/**
 * A client acknowledges steady output at the latest after this time, however slow the path: well before the agent
 * considers the client stalled (2 s).
 */
export const ACK_STEADY_MS = 500;

/** A client acknowledges output after this much quiet, so that the last bytes of a burst are acknowledged too. */
export const ACK_QUIET_MS = 50;

/**
 * Output on its way to all viewers of a workspace together: half of what all clients may have (rule OU9). Viewers that
 * read nothing leave the other half to operators.
 */
export const VIEWERS_IN_FLIGHT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Replays and snapshots on their way to one client in addition to its window, before the next one waits: eight
 * histories of the usual size. A page that switches between tabs stays far below.
 */
export const REPLAYS_IN_FLIGHT_MAX_BYTES = 2 * 1024 * 1024;

/** Echoes of a client's sessions that are sent even if its window is full: eight sessions of 4 KiB each. */
export const ECHO_ROOM_MAX_BYTES = 32 * 1024;

/**
 * Output that waits in a client for its screen, for a stream's reader or for a search: what an agent may still have to
 * parse when it takes a snapshot (8 MiB), and four of the widest windows (OU9).
 */
export const FOLLOW_QUEUE_MAX_BYTES = 24 * 1024 * 1024;

/**
 * The part of FOLLOW_QUEUE_MAX_BYTES at which a client asks the agent to stop; two windows may still be on their way.
 * Bytes alone do not reach it in one attachment; hours of very short frames, or many reconnects, do.
 */
export const SCREEN_BEHIND_BYTES = 16 * 1024 * 1024;

/** Each waiting frame, announcement and resize counts as this much more: Node uses 400 to 700 bytes for it. */
export const QUEUED_ITEM_BYTES = 1024;

// ── Input ──────────────────────────────────────────────────────────────────────────────────────────

/** Input that waits for a program that does not read. A large paste fits; the output of a runaway script does not. */
export const INPUT_BACKLOG_MAX_BYTES = 1024 * 1024;

/**
 * Input that a client sends ahead of acknowledgements. A paste flows, and one client uses at most a quarter of
 * INPUT_BACKLOG_MAX_BYTES.
 */
export const INPUT_WINDOW_BYTES = 256 * 1024;

/** The delay before a refused input frame is sent again: the program was not reading, and may still not be. */
export const INPUT_RETRY_MS = 500;

/** Input typed while disconnected that is kept for the reconnect: a line or two, not a script. */
export const OFFLINE_INPUT_MAX_BYTES = 4096;

/** How long input typed while disconnected is kept. A command that runs when nobody remembers typing it does harm. */
export const OFFLINE_INPUT_MAX_MS = 30_000;

/** A text that a person has composed before it is sent to a program: some ten pages, sent within one input window. */
export const COMPOSED_MAX_BYTES = 64 * 1024;

/** … and as input: with the marks of a bracketed paste (6 bytes each) and Enter. */
export const COMPOSED_PASTE_MAX_BYTES = COMPOSED_MAX_BYTES + 13;

/** Composed texts that a browser remembers for each workspace: more than anybody looks through. */
export const COMPOSED_KEPT_MAX = 50;

/** … and their length together. Browsers give an origin about 5 million characters. */
export const COMPOSED_KEPT_MAX_CHARS = 128 * 1024;

/**
 * Instances with a promise (`once`, an Idempotency-Key) that an agent remembers per session: three requests a second
 * for an hour. A new one is refused with `slow_down` rather than forgetting one of the last hour.
 */
export const INPUT_PROMISES_MAX = 10_000;

/** A repeated Idempotency-Key types nothing for at least this long after it was last used. */
export const INPUT_PROMISE_KEPT_MS = 3_600_000;

/**
 * Instances without a promise that an agent remembers per session. A forgotten instance that returns tells the agent
 * its own offset.
 */
export const INPUT_INSTANCES_MAX = 10_000;

/**
 * An instance that typed within this time is never forgotten. This is longer than a client waits to send input again.
 */
export const INPUT_INSTANCE_KEPT_MS = 60_000;

/**
 * Answers to a program's device queries that wait for the program to read them: a few dozen. Further answers are
 * dropped.
 */
export const ANSWER_BACKLOG_MAX_BYTES = 4096;

/**
 * Input this short with Ctrl-C, Ctrl-\ or Ctrl-Z in it is keys, not a paste. It is accepted even if the backlog is
 * full.
 */
export const SIGNAL_FRAME_MAX_BYTES = 16;

/** How much of such input is accepted beyond a full backlog. */
export const SIGNAL_BACKLOG_MAX_BYTES = 4096;

// ── Snapshots ──────────────────────────────────────────────────────────────────────────────────────

/**
 * The size of a snapshot, inflated. 1000 × 1000 cells with a 24-bit colour each are 20 MiB of output, and the usual
 * history of 5000 lines is 12 MiB at 120 columns of such cells. A relay's isolate has 128 MB.
 */
export const SNAPSHOT_INFLATED_MAX_BYTES = 32 * 1024 * 1024;

/** The size of a snapshot, deflated. Random colours compress worst, to a quarter; twice that is allowed. */
export const SNAPSHOT_MAX_BYTES = 16 * 1024 * 1024;

/** The longest time between two frames of an announced snapshot. An agent that sends none for this long has stopped. */
export const SNAPSHOT_FRAME_WITHIN_MS = 10_000;

/**
 * Lines of a command's output that are drawn, the newest: four times the usual history, so that the whole ring fits
 * unless its lines are very short.
 */
export const COMMAND_OUTPUT_MAX_LINES = 20_000;

/**
 * … and cells of these lines, which limits the lines of a terminal of over 200 columns. A cell takes 12 bytes, and as
 * many in the copy from which the snapshot is written: 96 MiB. At 1000 columns, all lines would take five times as much.
 */
export const COMMAND_OUTPUT_MAX_CELLS = 4 * 1024 * 1024;

/**
 * Bytes of a command's output that are drawn, the newest: four times the usual ring. All of them are queued at once, and
 * programs that print much are paused while the queues of all screens have 16 MiB.
 */
export const COMMAND_OUTPUT_MAX_BYTES = 1024 * 1024;

/**
 * The time for drawing a command's output: half of what a request over HTTP waits. A usual ring takes tens of
 * milliseconds; a hostile one takes minutes.
 */
export const COMMAND_OUTPUT_DRAWN_WITHIN_MS = 5_000;

/** Pending `take_snapshot` requests of one client. A program that wants more asks for one after another. */
export const SNAPSHOTS_WAITING_MAX = 8;

/**
 * Raw deflate fed to an inflater at once. It may grow by a factor of 1032 before it can be counted, so this bounds what
 * a decompression bomb costs beyond the limit: 8 MiB.
 */
export const INFLATE_SLICE_BYTES = 8 * 1024;

/**
 * Raw deflate fed to an inflater at the start, and after a slice that grew much. A decompression bomb is thus inflated
 * 1 MiB at a time, in about 3 ms.
 */
export const INFLATE_SLICE_MIN_BYTES = 1024;

/**
 * Bytes that all requests of an isolate together have inflated per second: a tenth of its time. The largest snapshot
 * takes half a second.
 */
export const INFLATED_PER_S_MAX_BYTES = 16 * 1024 * 1024;

/** Bytes that one request has inflated before others take their turn. Ordinary snapshots fit. */
export const INFLATED_SLICE_MAX_BYTES = 512 * 1024;

// ── The state directory ────────────────────────────────────────────────────────────────────────────

/**
 * The size of a session's metadata on disk, most of which is its environment and its commands. A longer file is not
 * read: no agent wrote it.
 */
export const STORED_METADATA_MAX_BYTES = 1024 * 1024;

/** The size of a screen on disk: a snapshot that does not compress at all, and the header of its file. */
export const STORED_SNAPSHOT_MAX_BYTES = SNAPSHOT_INFLATED_MAX_BYTES + 64 * 1024;

// ── HTTP ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * The length of a request's path. Ours have about 200 characters with the longest names; a workspace's name may be
 * percent-encoded.
 */
export const URL_PATH_MAX_CHARS = 2048;

/**
 * Request bodies that an isolate reads per second, short ones excluded. The fastest typist sends some kilobytes a
 * second.
 */
export const BODIES_PER_S_MAX_BYTES = 16 * 1024 * 1024;

/**
 * A piece of a request body counts as at least this much: the sender decides how long the pieces are, and reading one
 * byte takes as long as reading some KiB.
 */
export const BODY_PIECE_MIN_BYTES = 4096;

/**
 * Values in the JSON of a request body, counted before it is parsed: the largest, an environment with arguments, has
 * some hundred.
 */
export const JSON_VALUES_MAX = 4096;

/** This many bytes of request bodies count as one more request of their token. */
export const BODY_BYTES_PER_REQUEST = 64 * 1024;

/**
 * HTTP requests of one token that are processed at once. The others wait and then run one after the other, at this rate
 * per second. Inflating costs one more request for each MiB.
 */
export const REQUESTS_AT_ONCE_MAX = 8;
export const REQUESTS_PER_S_MAX = 100;

/**
 * HTTP requests of all tokens of one role in a workspace, at once and per second: twice as many as for one token, about
 * a fifth of a core.
 */
export const WORKSPACE_REQUESTS_AT_ONCE_MAX = 16;
export const WORKSPACE_REQUESTS_PER_S_MAX = 200;

/**
 * Snapshots and lists of commands that all viewers of a workspace, and one viewer's token, are waiting for at once. An
 * operator's key waits behind them.
 */
export const VIEWERS_READS_MAX = 6;
export const VIEWER_READS_MAX = 3;

/**
 * HTTP requests of one token that wait for a run, a command or attention: at most half of the connections of an operator,
 * so that its pages and its other requests find room, and few of a viewer's, whose link many may share.
 */
export const TOKEN_WAITS_MAX = { operator: 32, viewer: 8 } as const;

/** The time that an HTTP request waits for a run unless it says otherwise: programs give up on an answer after 60 s. */
export const RUN_WAIT_DEFAULT_MS = 50_000;

/** The longest time an HTTP request waits for its turn. One that would wait longer is refused. */
export const REQUEST_WAIT_MAX_MS = 2_000;

/** Waiting HTTP requests of all tokens in an isolate. Each uses memory. */
export const REQUESTS_WAITING_MAX = 1000;

/** Waiting HTTP requests of one workspace, so that those of others may wait too. */
export const WORKSPACE_REQUESTS_WAITING_MAX = 250;

/** Tokens, or workspaces, whose requests or lists are counted. Beyond it the least recently used one is forgotten. */
export const METERED_TOKENS_MAX = 10_000;

/**
 * Requests without a credential that an isolate answers without delay, in a burst and per second: five visitors at once
 * with all files of the page, and then fifty a second.
 */
export const PUBLIC_BURST_MAX = 50;
export const PUBLIC_PER_S_MAX = 500;

/** The shortest delay of further answers to them. A connection that asks one after the other gets fifty a second. */
export const PUBLIC_DELAY_MS = 20;

/**
 * The longest delay of these answers, which 500 connections reach that ask one after the other. Then others who open the
 * page wait this long for each part of it, but people who type do not wait.
 */
export const PUBLIC_DELAY_MAX_MS = 1_000;

/** Requests that an isolate refuses without delay, in a burst and per second. A person mistypes a link now and then. */
export const REFUSALS_BURST_MAX = 50;
export const REFUSALS_PER_S_MAX = 20;

/** The delay of further refusals. A client that tries one after the other gets four tries a second. */
export const REFUSAL_DELAY_MS = 250;

/**
 * Delayed answers that an isolate holds at once. Further ones are sent without delay, because waiting answers use
 * memory.
 */
export const REFUSALS_HELD_MAX = 1000;

/** Snapshots that one isolate of the relay holds for HTTP answers, inflated and deflated: half of its memory. */
export const ANSWERS_HELD_MAX_BYTES = 64 * 1024 * 1024;

/** Snapshots that an isolate holds for HTTP answers of one workspace, so that another can still be answered. */
export const WORKSPACE_ANSWERS_HELD_MAX_BYTES = 48 * 1024 * 1024;

/**
 * A reader that takes nothing of an HTTP answer or stream for this long is considered disconnected. A slow line
 * transfers 64 KiB in this time.
 */
export const READER_STALLED_MS = 120_000;

// ── Single-terminal mode ───────────────────────────────────────────────────────────────────────────

/** Output that terminals in single-terminal mode have not proven to have read, in an isolate and in one workspace. */
export const TERMINALS_UNREAD_MAX_BYTES = 96 * 1024 * 1024;
export const WORKSPACE_TERMINALS_UNREAD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Output sent to the terminals of one workspace that exceeds its share of the rate so far. An agent that waits for
 * acknowledgements has at most 48 MiB on its way (OU9, OU20); screens arrive deflated and are counted inflated.
 */
export const WORKSPACE_TERMINALS_AHEAD_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Each frame for a terminal in single-terminal mode counts as this much more: the pending acknowledgement uses memory,
 * however short the frame is.
 */
export const TERMINAL_WRITE_COST_BYTES = 512;

/**
 * Durable Objects for one workspace's terminals in single-terminal mode on a self-hosted relay. Each leaves a file on
 * its disk.
 */
export const TERMINAL_INLETS_MAX = 8;

// ── Searches (`wait`) ──────────────────────────────────────────────────────────────────────────────

/** The length of a pattern or text to wait for. A compiler's longest message fits. */
export const PATTERN_MAX_CHARS = 256;

/** Characters that a pattern matches once its repetitions are expanded. A text of PATTERN_MAX_CHARS just fits. */
export const PATTERN_STATES_MAX = 256;

/**
 * Pieces and alternatives that the pattern compiler expands. An empty group repeated a million times has no states, so
 * states alone do not bound the work.
 */
export const PATTERN_BUILD_STEPS_MAX = 4096;

/**
 * Ways from one character of a pattern to the next that are followed when it is compiled, in about 15 ns each. A pattern
 * whose parts may all be left out has the square of their number.
 */
export const PATTERN_WAYS_MAX = 200_000;

/** The cache of transitions of one search. The places of the longest literal fit twice. */
export const PATTERN_CACHE_MAX_BYTES = 640 * 1024;

/**
 * Work of a search in one slice. It is counted in steps, because a Worker's clock stands still while it computes. A
 * step is one character at a cached place, or one 32-bit word of a set of states: 1 to 5 ns.
 */
export const SEARCH_SLICE_STEPS = 500_000;

/**
 * Steps per second of all searches of an isolate together: at most a quarter of its time, or 12 MB/s of output with
 * ordinary patterns.
 */
export const SEARCH_STEPS_PER_S = 25_000_000;

/** A search ends after this many steps: 1 GB of output with an ordinary pattern, 1 MB with the costliest. */
export const SEARCH_STEPS_MAX = 2_000_000_000;

/** Searches of one workspace at once. Each caches up to PATTERN_CACHE_MAX_BYTES. */
export const SEARCHES_MAX = 16;

/** Searches of a workspace's viewers at once. A search may wait for a day, and operators must find room. */
export const VIEWERS_SEARCHES_MAX = 8;

/** Searches of one viewer's token at once: half of those of all viewers, so that another viewer finds room. */
export const VIEWER_SEARCHES_MAX = 4;

// ── Terminal output ────────────────────────────────────────────────────────────────────────────────

/**
 * The length of a CSI sequence, without its introducer and final byte. No meaningful sequence is longer; longer ones
 * are dropped.
 */
export const CSI_MAX_CHARS = 256;

/**
 * The length of a control string (OSC, DCS, APC, PM, SOS) that is held until its end. The longest known use is the
 * address of a link.
 */
export const STRING_MAX_CHARS = 8192;

/**
 * Combining marks on one character. Tibetan and Hebrew need about six; hundreds would cover the lines above and below.
 */
export const COMBINING_MARKS_MAX = 8;

/**
 * The text of one terminal cell, in UTF-16 units. The longest emoji in Unicode has 15, a syllable with all its marks
 * fewer. More text would only cover the lines around it.
 */
export const CELL_MAX_CHARS = 32;

/** Fields of one list of colours (OSC 4, OSC 104): each of the 256 colours with its value. */
export const COLOUR_FIELDS_MAX = 512;

/**
 * The length of a link's id and target: what browsers and terminals consider a long address. A longer one is shown as
 * text without a link.
 */
export const LINK_MAX_CHARS = 2083;

/** Total length of the link targets that one terminal remembers: all of a large directory listing. */
export const LINKS_MAX_CHARS = 512 * 1024;

/**
 * Sets of keyboard flags that each screen of a terminal keeps: the one in use and those saved before it. As many as in
 * kitty, whose protocol it is; programs are seldom nested deeper than two.
 */
export const KEY_FLAGS_MAX_SETS = 8;

// ── Images ─────────────────────────────────────────────────────────────────────────────────────────

/**
 * The length of one image as it is printed: sixel data, or a file in base64. A photograph of 1600 × 1200 pixels has
 * about a third of it. The agent keeps it, and every page that opens the session downloads it.
 */
export const IMAGE_MAX_CHARS = 3 * 1024 * 1024;

/** What comes before the data of a file: its arguments, among them a file name of 255 bytes in base64. */
export const IMAGE_ARGUMENTS_MAX_CHARS = 1024;

/** The width and the height of an image. A 4K screen is 3840 pixels wide. 4096 pixels are 205 rows. */
export const IMAGE_MAX_SIDE_PX = 4096;

/** … and its area, which is what decoding costs: a 4K screenshot fits, and takes 32 MiB while it is shown. */
export const IMAGE_MAX_PIXELS = 8 * 1024 * 1024;

/** Images that a terminal remembers: more than a screen of thumbnails. The oldest are forgotten. */
export const IMAGES_KEPT = 128;

/**
 * … and their data. It is part of every snapshot with history, so on a line of 10 Mbit/s it is five seconds. It leaves
 * room for the text: a screen sleeps with at most 16 MiB.
 */
export const IMAGES_KEPT_MAX_CHARS = 6 * 1024 * 1024;

/** … and those of all terminals of an agent's thread: eight sessions that are full of images. */
export const IMAGES_AWAKE_MAX_CHARS = 48 * 1024 * 1024;

/** … and those of all sleeping screens, which have each image up to twice, compressed. */
export const IMAGES_ASLEEP_MAX_CHARS = 48 * 1024 * 1024;

/**
 * Pixels painted for one sixel image, which may paint the same place again and again. Programs paint each pixel once.
 * This many take a page a tenth of a second.
 */
export const SIXEL_PAINTED_MAX_PIXELS = 4 * IMAGE_MAX_PIXELS;

/** Colours of a sixel image. VT terminals had 4 to 256; programs use 256. */
export const SIXEL_COLOURS = 256;

/** Decoded images of the visible terminal: two of the largest. Others are decoded again when they are scrolled to. */
export const BITMAPS_MAX_PIXELS = 2 * IMAGE_MAX_PIXELS;

// ── Tokens, logins and revocations ─────────────────────────────────────────────────────────────────

/** The length of a person's name in a token (`sub`): the same as any other name. */
export const SUB_MAX_CHARS = NAME_MAX_CHARS;

/**
 * How far the clocks of token issuers and operators may differ from the relay's. A token issued further in the future
 * is refused.
 */
export const CLOCK_SKEW_MAX_S = 300;

/**
 * The lifetime of the page cookie. Browsers send it to every port of localhost, so another program may obtain it; it is
 * worthless after this time.
 */
export const PAGE_COOKIE_LIFETIME_S = 900;

/**
 * Cookies of the page's name that are tried. A server on another port of the host can set one for each part of a path,
 * with and without a slash at its end: seven for the paths that the page asks for. Browsers send those before ours.
 */
export const COOKIES_TRIED_MAX = 8;

/** The age at which the page renews its cookie. One failed attempt and a slow network still leave minutes. */
export const PAGE_COOKIE_RENEW_MS = 600_000;

/** How long before its login ends for good a page warns: time to ask somebody for a link. */
export const LOGIN_ENDING_MS = 900_000;

/** The length of a link pasted into the page. Tokens have hundreds of characters, and addresses are short. */
export const PASTED_LINK_MAX_CHARS = 8_192;

/**
 * The lifetime of a challenge for renewing a login. It is signed and returned at once; a minute allows for a slow
 * phone.
 */
export const CHALLENGE_LIFETIME_S = 60;

/** How long the code for another device is valid: long enough to hold a phone before the screen. */
export const DEVICE_CODE_LIFETIME_S = 60;

/** The length of a code for another device: its claims, with the longest name and token id that a token may have. */
export const DEVICE_CODE_MAX_CHARS = 1024;

/** How long an invite is valid: long enough to log in to the machine and paste one line. */
export const INVITE_LIFETIME_S = 600;

/** How long a link for the owner is valid. */
export const OWNER_LINK_LIFETIME_S = 600;

/** How long a page may renew the owner's login that a link gave it: a working day. */
export const OWNER_LOGIN_MAX_S = 12 * 3600;

/** How long the proof of an owner's key may be valid: one request, and clocks that differ a little. */
export const OWNER_PROOF_LIFETIME_S = 300;

/** Invites and links for the owner that are kept at once. More than a person makes within their lifetime. */
export const FLEET_CODES_MAX = 64;

/** The same for an invite made in the page: the rest is left for the owner's key, should somebody steal the cookie. */
export const FLEET_COOKIE_CODES_MAX = 32;

/** Machines of one relay. Each takes at most 500 bytes in the list that the owner gets at once. */
export const FLEET_MACHINES_MAX = 1000;

/** How often a workspace reports to the fleet: a person who looks at the list sees a change soon enough. */
export const FLEET_REPORT_EVERY_MS = 5_000;

/** The waits after a report that the fleet did not take. The last is repeated. */
export const FLEET_REPORT_RETRIES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;

/** How often the same report is sent: for about a day. Then it waits for the next change. */
export const FLEET_REPORT_TRIES_MAX = 28;

/** How long a machine that nobody invited stays in the list after it was last there. */
export const FLEET_UNINVITED_KEPT_MS = 7 * 24 * 3_600_000;

/** Pages of the owner that are told of changes at once. More than a person has open. */
export const FLEET_WATCHERS_MAX = 16;

/** The name that the owner gives a machine: a line of a list, also on a phone. */
export const MACHINE_LABEL_MAX_CHARS = 64;

/** The version of an agent, as it says itself. Longer ones are cut. */
export const AGENT_VERSION_MAX_CHARS = 32;

/** The lifetime of the token of a machine that has joined. It works with the machine's key only. */
export const MACHINE_TOKEN_LIFETIME_S = 5 * 365 * 24 * 3600;

/** The longest lifetime of a link that the owner makes: as long as the one that `npm start` prints. */
export const OWNER_MADE_LINK_MAX_S = 30 * 24 * 3600;

/** The same for a link made in the page, where a stolen cookie could make it: a working day. */
export const OWNER_COOKIE_LINK_MAX_S = 12 * 3600;

/** The shortest lifetime of a share link: a shorter one would expire on its way. */
export const SHARE_LINK_MIN_S = 60;

/** The longest lifetime of a share link: as long as a link that the owner makes. */
export const SHARE_LINK_MAX_S = 30 * 24 * 3600;

/** The length of a share link's label, which is the name of whoever opens it: the same as any other name. */
export const SHARE_LABEL_MAX_CHARS = 64;

/** Share links of a workspace at the same time. A list of them is read at a glance, and fits one answer. */
export const SHARE_LINKS_MAX = 100;

/** Token ids that a workspace remembers as revoked. Beyond it, revoke by time instead. */
export const REVOCATIONS_MAX = 10_000;

/** Revoked token ids in one answer: about 12 KB. */
export const REVOCATIONS_PAGE_MAX = 100;

/** Failed authentications from one source in a window before it must wait. A retrying agent stays far below. */
export const AUTH_FAILURES_PER_SOURCE_MAX = 30;

/**
 * Failed authentications from all sources together before a failing one must wait. A valid credential is never
 * affected.
 */
export const AUTH_FAILURES_IN_ALL_MAX = 600;

/** The window in which failed authentications are counted, and so the longest time anybody must wait. */
export const AUTH_FAILURES_WINDOW_MS = 60_000;

/** Sources of failed authentications that are remembered; the oldest is forgotten first. About 200 KB. */
export const AUTH_SOURCES_MAX = 1_000;

// ── Push ───────────────────────────────────────────────────────────────────────────────────────────

/** The length of the address that a browser's push service gave out. The longest in use has about 700 characters. */
export const PUSH_ENDPOINT_MAX_CHARS = 1024;

/** Subscriptions of a workspace. Each is told of each session, so this is also how many pushes one moment can cause. */
export const PUSH_SUBSCRIPTIONS_MAX = 64;

/** Subscriptions of all viewers in a workspace together; the rest is left for operators. */
export const PUSH_VIEWERS_MAX = 32;

/** Subscriptions of one person: browsers and phones. A new one beyond that replaces the oldest. */
export const PUSH_PERSON_MAX = 8;

/** Sessions that one subscription may mute: as many as a person has open, several times over. */
export const PUSH_MUTES_MAX = 100;

/** A session is pushed at most this often; what happens in between is pushed at the end of that time. */
export const PUSH_EVERY_MS = 60_000;

/** How long a push service may take to answer. */
export const PUSH_WITHIN_MS = 10_000;

/**
 * Pushes of a workspace that wait for an answer at the same time, and those to one host. Cloudflare allows six
 * connections; a service that hangs leaves most of them to the others.
 */
export const PUSHES_IN_FLIGHT_MAX = 6;
export const PUSHES_TO_HOST_MAX = 2;

/** Pushes that wait to be sent or sent again. Beyond it new ones are dropped. */
export const PUSH_QUEUE_MAX = 256;

/**
 * Pushes of a workspace in a burst and per second. Beyond it they are dropped: if a thousand sessions want attention at
 * the same time, nobody reads a thousand notifications.
 */
export const PUSHES_BURST_MAX = 256;
export const PUSHES_PER_S_MAX = 4;

/**
 * The part of those that wait, that are on their way and that are sent per second, which the pushes to all viewers
 * together may have. A viewer may subscribe with addresses at which nothing answers; those of operators go on meanwhile.
 */
export const PUSHES_OF_VIEWERS = 0.5;

/** When a push that failed is tried again, after each attempt; then it is dropped. */
export const PUSH_RETRIES_MS = [5_000, 30_000, 120_000, 600_000] as const;

/** How long a push service keeps a push for a device that is off. What a session wanted yesterday is no news. */
export const PUSH_KEPT_S = 12 * 3600;

/**
 * The content of a push is padded to this length, so that its length tells a push service nothing. The longest name and
 * text fit; services accept messages of 4096 bytes.
 */
export const PUSH_CONTENT_BYTES = 2048;

/** The length of a session's name in a notification. */
export const PUSH_NAME_MAX_CHARS = 64;

// ── The audit trail ────────────────────────────────────────────────────────────────────────────────

/** Audit rows of actions (typed, created, closed, …): months of ordinary work in about a megabyte. */
export const AUDIT_ACTIONS_MAX_ROWS = 2000;

/** Audit rows of clients that attached and left. Counted separately, so that they never displace actions. */
export const AUDIT_VISITS_MAX_ROWS = 1000;

/** Audit rows of refusals. Counted separately, because anybody with a token can cause refusals. */
export const AUDIT_REFUSALS_MAX_ROWS = 500;

/**
 * New action rows per person and hour. Further actions share a row, so that nobody can quickly displace the whole
 * trail.
 */
export const AUDIT_ACTIONS_MAX_PER_HOUR = 120;

/** New rows per person and hour for attaching and leaving: about thirty sessions opened and left. */
export const AUDIT_VISITS_MAX_PER_HOUR = 60;

/** New rows per person and hour for refusals: the first of each kind is informative enough. */
export const AUDIT_REFUSALS_MAX_PER_HOUR = 20;

/** Audit rows older than this are removed: long enough for an investigation, short enough for data protection rules. */
export const AUDIT_KEPT_MS = 30 * 24 * 3600 * 1000;

/** The same action by the same token in the same session within this time is one row with a count. */
export const AUDIT_COALESCE_MS = 60_000;

/** Attaching or leaving again within this time shares one row, because a flaky network reconnects every few minutes. */
export const AUDIT_VISIT_COALESCE_MS = 15 * 60_000;

/** Typing within this time shares one row: one row an hour says from when until when somebody typed. */
export const AUDIT_TYPED_COALESCE_MS = 3600 * 1000;

/** How often a client's typing in a session is recorded: the trail is exact to the minute. */
export const TYPED_NOTE_EVERY_MS = 60_000;

/** When two people type in turn, who typed last is written at most this often, because sends wait for writes. */
export const TYPED_LAST_EVERY_MS = 5_000;

/** The length of the detail of an audit row (a session's name, a reason): one line in a terminal. */
export const AUDIT_DETAIL_MAX_CHARS = 128;

/** Entries in one answer of the audit route. A page with the longest names stays below a megabyte. */
export const AUDIT_PAGE_MAX_ROWS = 500;
