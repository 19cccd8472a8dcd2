/** How the Worker and the workspaces reach the fleet's object. */

/** There is one. */
export const FLEET_NAME = 'fleet';

/** The request that opens the socket of a page says when its cookie expires. The Worker builds it from scratch. */
export const EXPIRES_HEADER = 'X-Holdfast-Expires-At';
