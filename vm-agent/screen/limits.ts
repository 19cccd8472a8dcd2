/** All limits of the screens. Each name has its unit, and each comment its reason. */
import { IMAGE_ARGUMENTS_MAX_CHARS, IMAGE_MAX_CHARS } from '../../protocol/limits.ts';

/** Lines kept above the screen unless configured otherwise. */
export const SCROLLBACK_LINES = 5000;

/** Output of one session that waits to be parsed: about a second of ordinary output, and longer of hostile output. */
export const SCREEN_QUEUE_MAX_BYTES = 8 * 1024 * 1024;

/**
 * … but no more than is parsed in this time. The costliest output is parsed at 8 KB per second, and a full queue of it
 * would keep the screen a quarter of an hour behind the program.
 */
export const SCREEN_QUEUE_MAX_MS = 2000;

/** … and no less than this, which is one full read: the estimate of that time may be wrong. */
export const SLOW_QUEUE_MIN_BYTES = 64 * 1024;

/**
 * … and of all sessions of an agent: enough for two sessions at their limit. A longer queue would not speed up parsing,
 * and the process would keep the memory.
 */
export const POOL_QUEUE_MAX_BYTES = 16 * 1024 * 1024;

/**
 * What may be left of a queue that is drained because another process takes over, which has to parse the rest: a few
 * hundredths of a second.
 */
export const DRAINED_MAX_BYTES = 512 * 1024;

/** While it is drained, the program goes on as soon as there is room for a read. */
export const DRAIN_ROOM_BYTES = 64 * 1024;

/** Bytes of one session sent to the thread and not yet parsed. The rest waits in the main thread, in one copy. */
export const IN_FLIGHT_MAX_BYTES = 512 * 1024;

/** Small writes are joined into messages of up to this size; a message costs as much as parsing 1 KiB. */
export const BATCH_MAX_BYTES = 64 * 1024;

/** Output from this size on is shared with the thread, smaller output is copied. It is the size of a full read. */
export const SHARED_MIN_BYTES = 4096;

/** Chunks kept for the next bulk output: as many as one session may have waiting. */
export const FREE_CHUNKS_MAX = SCREEN_QUEUE_MAX_BYTES / BATCH_MAX_BYTES;

/** Shorter output without an escape character is taken for the echo of a key. It is the size of a screen's row or two. */
export const HELD_ECHO_MAX_BYTES = 128;

/** A watched burst, or an echo, is parsed after a pause of this length, as programs make when they have printed … */
export const BURST_PAUSE_MS = 10;

/** … after it has lasted this long, which is how long a terminal takes to fill a queue … */
export const BURST_MAX_MS = 250;

/** … or when this much of it is queued; the rest is for output that arrives before the thread has parsed some. */
export const BURST_MAX_BYTES = (7 / 8) * SCREEN_QUEUE_MAX_BYTES;

/** How long one session may parse before the next one's turn. */
export const PARSE_SLICE_MS = 4;

/**
 * How long a snapshot is written before every session with output parses: as long, so bulk output keeps half the time.
 */
export const SNAPSHOT_SLICE_MS = PARSE_SLICE_MS;

/**
 * How much a session may parse while an `ansi` snapshot of it is written, because the thread keeps those bytes. It is a
 * third of a second of bulk output that has half the time. Further output then waits for the end of the snapshot.
 */
export const PARSED_SINCE_MAX_BYTES = 4 * 1024 * 1024;

/** The clock is read after this many bytes: 4 KiB of text take a fraction of a slice … */
export const STEP_MAX_BYTES = 4096;

/** … or after this many sequences. The costliest take one or two milliseconds each at 200 × 50, in a few bytes. */
export const STEP_MAX_SEQUENCES = 64;

/** … but a step is smaller on larger screens, where erasing costs more, and after a step that took a whole slice. */
export const STEP_FULL_SIZE_CELLS = 10_000;
export const STEP_MIN_BYTES = 64;

/** Notices of one slice that are told apart. A program that wants to be noticed says so once. */
export const NOTICES_PER_SLICE_MAX = 8;

/** A later reply is not sent: the program has given up and would take it for typing. */
export const DEVICE_ANSWER_WITHIN_MS = 1000;

/**
 * How long a new agent may take to draw what was printed before it. Its program waits for that if it is much. A megabyte
 * takes a twentieth of a second; of hostile output, a minute.
 */
export const CATCH_UP_WITHIN_MS = 10_000;

/** A screen without clients falls asleep after this long without output or requests … */
export const SLEEP_AFTER_MS = 60_000;

/**
 * … and sooner while more than this many unwatched screens are awake. With the default history each takes about 10 MB
 * awake, and a tenth of that asleep. It is half of the sessions an agent allows by default, which are seldom busy at
 * once.
 */
export const AWAKE_UNWATCHED_MAX = 32;

/** A program that pauses for less than this between its lines is not done. */
export const SLEEP_EARLY_AFTER_MS = 2000;

/** How soon to check again while too many are awake and none may sleep. */
export const BEDTIME_LOOK_MS = 1000;

/**
 * A screen whose state is longer than this, as text, stays awake: waking means parsing all of it, about half a second.
 * A default history of cells that each have their own 24-bit colour has 12 MiB at 120 columns. Many links can make the
 * text gigabytes long, in no more memory than their cells. The limit is below that of any snapshot, so that a sleeping
 * state can be sent as it is.
 */
export const SLEEPING_MAX_BYTES = 16 * 1024 * 1024;

/** Payload of one OSC or DCS sequence, in characters; xterm would collect 10 million. A title has 256. */
export const PAYLOAD_MAX_CHARS = 64 * 1024;

/** … and in bytes, while it is unfinished: the most that so many characters can have. */
export const PENDING_MAX_BYTES = 4 * PAYLOAD_MAX_CHARS;

/** … and of what may be an image: the image and its arguments, which are ASCII, and some bytes that are no part of it. */
export const IMAGE_PENDING_MAX_BYTES = IMAGE_MAX_CHARS + IMAGE_ARGUMENTS_MAX_CHARS + PENDING_MAX_BYTES;

/** A thread without progress in this many checks, one second apart, hangs. Two checks survive a suspended VM. */
export const STALL_LOOK_MS = 1000;
export const STALL_LOOKS = 10;

/**
 * … and one that has not worked at all. A thread is started in a tenth of a second, or in many seconds on a machine that
 * is busy. Replacing it then would begin all over again.
 */
export const START_LOOKS = 120;
