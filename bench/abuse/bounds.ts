/** The limits on what an attack may cost others. */

/** A key of another workspace takes at most this much longer than with a harmless load of the same size. */
export const ECHO_MAX_RATIO = 3;

/**
 * What one workspace can make the relay hold: 32 MiB of output in flight to its clients, answers being composed, its
 * registry, and what V8 has not collected yet.
 */
export const RELAY_MAX_GROWTH_MIB = 192;

/**
 * The agent's screens, queues and histories of a few sessions, copies of them that snapshots are written from (24 MiB
 * for 5000 lines of 400 columns), and what V8 has not collected yet.
 */
export const AGENT_MAX_GROWTH_MIB = 288;
