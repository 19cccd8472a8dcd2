/**
 * The version of xterm's own tables, of Unicode 6. They measure sessions of agents that had no other model, and state
 * that such an agent has stored. In a file of its own, so that clients without a terminal do not load our tables.
 */
export const OLD_WIDTHS = '6';
