/** What the keeper keeps, and for how long. */

/** Output of one program that is kept for an agent that is away. Then the program waits. */
export const RETAINED_MAX_BYTES = 10 * 1024 * 1024;

/** … and of all programs together. */
export const RETAINED_ALL_MAX_BYTES = 32 * 1024 * 1024;

/**
 * A replacement is there within this time. Until then a program may print only so much and then waits: its clients can
 * then continue with the bytes they miss, which the next agent still has, and need no new screen. Afterwards it may
 * print as much as is kept.
 */
export const REPLACED_WITHIN_MS = 3_000;
export const REPLACED_MAX_BYTES = 256 * 1024;

/**
 * For how long programs wait for an agent that is away. A restart takes a second. Afterwards they go on, and only the
 * last `historyBytes` of their output are kept.
 */
export const AGENT_AWAY_MS = 60_000;

/** The longest history that an agent may ask for, which is the greatest value of its setting. */
export const HISTORY_MAX_BYTES = 64 * 1024 * 1024;

/** Input that waits for one program. An agent's own limit is a quarter of this. */
export const BACKLOG_MAX_BYTES = 4 * 1024 * 1024;

/**
 * What agents leave for the next one, for each session: a screen of up to 768 KiB, and its commands, which have up to a
 * third of a megabyte if they are not in Latin letters.
 */
export const BLOBS_MAX_BYTES = 1.5 * 1024 * 1024;
export const BLOB_NAME_MAX_CHARS = 64;
/** Agents of today use four names. */
export const BLOBS_MAX = 16;

/** More than the agent ever has: its own limit is lower. */
export const PROGRAMS_MAX = 2048;

/** The largest frame of output. */
export const OUTPUT_FRAME_MAX_BYTES = 64 * 1024;

/**
 * What a keeper saves for the one that replaces it, which holds it in memory a second time. With the default settings,
 * 64 sessions that keep all they may need 112 MiB.
 */
export const STATE_MAX_BYTES = 512 * 1024 * 1024;

/** … and how many programs: sessions, and removed ones whose programs are being ended. */
export const SAVED_PROGRAMS_MAX = 2 * PROGRAMS_MAX;
