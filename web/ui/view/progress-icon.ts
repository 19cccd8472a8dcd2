/** Draws the progress of a program as the page's icon. */
import type { SessionProgress } from '../../../protocol/messages/session-info.ts';
import { filledPercent } from './progress.ts';

/** On the icon's dark background; the icon has no theme. */
const RING_COLOURS: Readonly<Record<SessionProgress['state'], string>> = {
  running: '#82b7f7',
  indeterminate: '#82b7f7',
  error: '#f28b82',
  paused: '#e2b659',
};

const RADIUS = 11;
const AROUND = 2 * Math.PI * RADIUS;
/** An arc of no length would look like no progress at all. */
const SHORTEST_ARC = AROUND / 20;

/** The page's icon as a ring that fills, as the URL of an image. */
export function progressIcon(progress: SessionProgress): string {
  const { state } = progress;
  // An indeterminate ring is broken into four arcs.
  const dashes =
    state === 'indeterminate' ? [AROUND / 8, AROUND / 8] : [arcOf(filledPercent(progress)), AROUND];
  const ring = `cx="16" cy="16" r="${RADIUS}" fill="none" stroke-width="6"`;
  const svg = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    '<rect width="32" height="32" rx="7" fill="#1a1e25"/>',
    `<circle ${ring} stroke="#3b4656"/>`,
    `<circle ${ring} stroke="${RING_COLOURS[state]}" stroke-dasharray="${dashes.map((n) => n.toFixed(1)).join(' ')}"`,
    ' transform="rotate(-90 16 16)"/>',
    '</svg>',
  ].join('');
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function arcOf(percent: number): number {
  return Math.max(SHORTEST_ARC, (AROUND * percent) / 100);
}
