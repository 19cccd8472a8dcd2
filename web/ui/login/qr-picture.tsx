/** A QR code as a picture: dark on light in every theme, because most readers find no other. */
import { useMemo } from 'react';
import { type QrModules, qrModules } from '../../../client/qr/qr-code.ts';
import './qr-picture.css';

interface Props {
  readonly text: string;
  /** What a screen reader says. */
  readonly label: string;
}

/** Light modules on every side; the standard asks for as many. */
const QUIET_MODULES = 4;

export function QrPicture({ text, label }: Props) {
  const { path, side } = useMemo(() => {
    const modules = qrModules(text);
    return { path: pathOf(modules), side: modules.length + 2 * QUIET_MODULES };
  }, [text]);
  return (
    <svg
      className="qr-picture"
      role="img"
      aria-label={label}
      viewBox={`${-QUIET_MODULES} ${-QUIET_MODULES} ${side} ${side}`}
      shapeRendering="crispEdges"
    >
      <rect x={-QUIET_MODULES} y={-QUIET_MODULES} width={side} height={side} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}

/** One rectangle for each run of dark modules in a row: a square for each would leave hairlines between them. */
function pathOf(modules: QrModules): string {
  return modules
    .flatMap((row, y) => runsIn(row).map(({ x, width }) => `M${x} ${y}h${width}v1h${-width}z`))
    .join('');
}

function runsIn(row: readonly boolean[]): { readonly x: number; readonly width: number }[] {
  const text = row.map((isDark) => (isDark ? '#' : ' ')).join('');
  return [...text.matchAll(/#+/g)].map(({ index, 0: run }) => ({ x: index, width: run.length }));
}
