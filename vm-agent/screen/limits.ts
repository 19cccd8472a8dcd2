/** Every bound of the screens, with its unit in its name and its reason beside it. */

/** Lines kept above the screen unless the configuration says otherwise. */
export const SCROLLBACK_LINES = 5000;

/** Output waiting to be parsed for one session: less than a second of the slowest parsing. */
export const SCREEN_QUEUE_MAX_BYTES = 8 * 1024 * 1024;

/**
 * … and for all sessions of an agent together: two such floods. More at once are parsed no faster for having
 * more waiting, and the memory stays with the agent.
 */
export const POOL_QUEUE_MAX_BYTES = 16 * 1024 * 1024;

/** Bytes of one session inside the thread and not yet parsed. The rest waits on the main side, in one copy. */
export const IN_FLIGHT_MAX_BYTES = 512 * 1024;

/** Small writes are gathered into messages of up to this size; a message costs as much as parsing 1 KiB. */
export const BATCH_MAX_BYTES = 64 * 1024;

/** From this size on output is shared with the thread, below it copied: what one full read yields. */
export const SHARED_MIN_BYTES = 4096;

/** Batches kept for the next flood: as many as one session may have waiting. */
export const FREE_CHUNKS_MAX = SCREEN_QUEUE_MAX_BYTES / BATCH_MAX_BYTES;

/** A burst that somebody watches is parsed when this much quiet follows it: what a program pauses for when it has printed. */
export const BURST_PAUSE_MS = 10;

/** … when it has lasted this long, which is how long a terminal takes to fill a queue … */
export const BURST_MAX_MS = 250;

/** … or when the queue has this much of it; the rest is for what comes before the thread has parsed some. */
export const BURST_MAX_BYTES = (7 / 8) * SCREEN_QUEUE_MAX_BYTES;

/** How long one session may parse before the next has its turn. */
export const PARSE_SLICE_MS = 4;

/** How long a snapshot is written before every session that has output parses: as long, so that a flood keeps half of the time. */
export const SNAPSHOT_SLICE_MS = PARSE_SLICE_MS;

/**
 * What a session may parse while an `ansi` snapshot of it is written, for the thread keeps it: a third of a second of a flood that
 * has half of the time. A longer flood then waits for the end of the snapshot.
 */
export const PARSED_SINCE_MAX_BYTES = 4 * 1024 * 1024;

/** The clock is read after every so many bytes: 4 KiB of the costliest sequences take about 20 ms at 200 × 50. */
export const STEP_MAX_BYTES = 4096;

/** … and a step is smaller on larger screens, where erasing costs more, and after one that took a whole slice. */
export const STEP_FULL_SIZE_CELLS = 10_000;
export const STEP_MIN_BYTES = 64;

/** An answer that comes later is not sent: the program has given up and would take it for typing. */
export const DEVICE_ANSWER_WITHIN_MS = 1000;

/** A screen that printed nothing and was asked for nothing this long, and has no viewer, is put to sleep. */
export const SLEEP_AFTER_MS = 60_000;

/**
 * … and sooner while more than this many are awake with no viewer. With the usual history each takes some 10 MB, and a tenth of
 * that asleep; half of the sessions an agent allows by default are seldom busy at once.
 */
export const AWAKE_UNWATCHED_MAX = 32;

/** A program that pauses no longer than this between its lines is not done. */
export const SLEEP_EARLY_AFTER_MS = 2000;

/** How soon to look again while there are too many and none may sleep. */
export const BEDTIME_LOOK_MS = 1000;

/**
 * A screen whose whole state is longer, as text, stays awake: waking is parsing all of it, about half a second. The usual history
 * of cells that each have their own 24-bit colour has 12 MiB at 120 columns. Many links can make it gigabytes, and those in no more
 * memory than their cells. Shorter than any snapshot may be, so that what sleeps is sent as it lies.
 */
export const SLEEPING_MAX_BYTES = 16 * 1024 * 1024;

/** Payload of one OSC or DCS sequence, in characters; xterm would gather 10 million. A title has 256. */
export const PAYLOAD_MAX_CHARS = 64 * 1024;

/** … and in bytes, while it is unfinished: as many as those characters can have. */
export const PENDING_MAX_BYTES = 4 * PAYLOAD_MAX_CHARS;

/** A thread that makes no progress for so many looks, a second apart, hangs. Two looks survive a suspended VM. */
export const STALL_LOOK_MS = 1000;
export const STALL_LOOKS = 10;
