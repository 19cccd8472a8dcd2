/**
 * The cell in which images are laid out, in pixels: that of a VT340, for which sixel images were made. Every terminal
 * uses it, whatever its font is, so that an image covers the same cells in the agent and on every device. A page scales
 * what it draws to its own cells.
 */
export const CELL_PX = { width: 10, height: 20 } as const;
