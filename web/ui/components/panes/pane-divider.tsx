/** The line between two parts of a tab: moved by mouse, touch and arrow keys. */
import type { CSSProperties, KeyboardEvent, PointerEvent } from 'react';
import { SPLIT_MAX_PERCENT, SPLIT_MIN_PERCENT } from '../../../../protocol/limits.ts';
import type { BranchPath, Divider } from '../../tabs/pane-tree.ts';
import { dividerKey } from '../../view/divider-keys.ts';

interface Props {
  readonly divider: Divider;
  /** The names of the terminals on either side. */
  readonly label: string;
  readonly onMove: (percent: number) => void;
  /** The user is done with the keyboard. */
  readonly onDone: () => void;
}

export function dividerId(path: BranchPath): string {
  return `divider-${path}`;
}

export function PaneDivider({ divider, label, onMove, onDone }: Props) {
  const { area, direction, first, path, percent } = divider;
  const isRow = direction === 'row';
  const pressed = (event: KeyboardEvent) => {
    const act = dividerKey(event, divider);
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (act === 'done') onDone();
    else onMove(act);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      id={dividerId(path)}
      className="pane-divider"
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isRow ? 'vertical' : 'horizontal'}
      aria-valuenow={percent}
      aria-valuemin={SPLIT_MIN_PERCENT}
      aria-valuemax={SPLIT_MAX_PERCENT}
      aria-valuetext={`${percent} %`}
      aria-controls={first.map((key) => `panel-${key}`).join(' ')}
      style={placeOf(divider)}
      onKeyDown={pressed}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onMove(percentAt(event, isRow, area));
      }}
      onDoubleClick={() => onMove(50)}
    />
  );
}

function placeOf({ area, direction, percent }: Divider): CSSProperties {
  const { left, top, width, height } = area;
  return direction === 'row'
    ? { left: `${left + (width * percent) / 100}%`, top: `${top}%`, height: `${height}%` }
    : { left: `${left}%`, top: `${top + (height * percent) / 100}%`, width: `${width}%` };
}

/** Where the pointer is in the divided area. */
function percentAt(event: PointerEvent, isRow: boolean, area: Divider['area']): number {
  const place = event.currentTarget.parentElement?.getBoundingClientRect();
  if (place === undefined) return 50;
  const at = isRow ? (event.clientX - place.left) / place.width : (event.clientY - place.top) / place.height;
  const [start, extent] = isRow ? [area.left, area.width] : [area.top, area.height];
  return ((at * 100 - start) / extent) * 100;
}
