/** How an agent process finds the socket of its keeper. */

/** The environment variable that holds the descriptor's number. */
export const KEEPER_FD = 'HOLDFAST_KEEPER_FD';
