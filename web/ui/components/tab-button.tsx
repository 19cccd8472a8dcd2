/** One tab in the tab bar. */
import type { CSSProperties, DragEvent, KeyboardEvent } from 'react';
import { CloseIcon } from '../elements/icons.tsx';
import type { MenuPlace } from '../elements/menu.tsx';
import { useLongPress } from '../elements/use-long-press.ts';
import { attentionLine } from '../text/attention-text.ts';
import type { BarTab } from '../view/bar-tabs.ts';
import { filledPercent, progressText } from '../view/progress.ts';
import { TAB_MARKS } from '../view/tab-marks.ts';

interface Props {
  readonly tab: BarTab;
  readonly mayManage: boolean;
  readonly isDraggable: boolean;
  readonly isDragged: boolean;
  readonly onChoose: () => void;
  readonly onClose: () => void;
  readonly onRename: () => void;
  readonly onMenu: (at: MenuPlace) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onDragStart: () => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragEnd: () => void;
}

export function TabButton(props: Props) {
  const { tab, mayManage, isDraggable, isDragged, onChoose, onClose, onMenu, onRename } = props;
  const touch = useLongPress(onMenu);
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${tab.key}`}
      className="tab"
      aria-label={tab.name}
      aria-selected={tab.isActive}
      aria-controls={tab.panes.map((key) => `panel-${key}`).join(' ')}
      aria-description={descriptionOf(tab)}
      data-marker={tab.marker ?? undefined}
      data-dragged={isDragged || undefined}
      tabIndex={tab.isActive ? 0 : -1}
      title={tooltipOf(tab)}
      // A finger that stays opens the menu; Android would drag.
      draggable={isDraggable && !touch.isTouched}
      {...touch.handlers}
      onClick={() => touch.isClick() && onChoose()}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
      }}
      onAuxClick={(event) => event.button === 1 && mayManage && onClose()}
      onDoubleClick={() => mayManage && onRename()}
      onKeyDown={props.onKeyDown}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', tab.name);
        props.onDragStart();
      }}
      onDragOver={props.onDragOver}
      onDrop={(event) => event.preventDefault()}
      onDragEnd={props.onDragEnd}
    >
      <span className="tab-marker" aria-hidden="true" />
      <span className="tab-name">{tab.label}</span>
      {tab.people.badge !== '' && (
        <span className="tab-people" aria-hidden="true">
          {tab.people.badge}
        </span>
      )}
      {tab.panes.length > 1 && (
        // Drawn by the style sheet: it is no part of the tab's name.
        <span className="tab-panes" aria-hidden="true" data-count={tab.panes.length} />
      )}
      {tab.progress !== null && (
        // A screen reader hears it in the description; what is inside a tab has no role of its own.
        <span
          className="tab-progress"
          aria-hidden="true"
          data-state={tab.progress.state}
          style={{ '--filled': `${filledPercent(tab.progress)}%` } as CSSProperties}
        />
      )}
      {mayManage && (
        // For the mouse only; the keyboard has Delete, and everybody has the menu.
        <span
          className="tab-close"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onClose();
          }}
        >
          <CloseIcon />
        </span>
      )}
    </button>
  );
}

function tooltipOf({ attention, label, name, people, running }: BarTab): string {
  const what = label === name ? name : `${name}: ${running}`;
  const lines = [
    what,
    attention === null ? '' : attentionLine(attention, new Date()),
    // Names are told apart from what the session says.
    people.sentence,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** The running program, how far it is, the meaning of the mark with what the program says, and who else is here. */
function descriptionOf({ attention, marker, panes, people, progress, running }: BarTab): string | undefined {
  const parts = [
    running,
    panes.length === 1 ? '' : `${panes.length} panes`,
    progress === null ? '' : progressText(progress),
    marker === null || attention !== null ? '' : TAB_MARKS[marker],
    attention === null ? '' : attentionLine(attention, new Date()),
    people.sentence,
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join(', ');
}
