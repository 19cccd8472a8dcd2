/** The way from pane to pane where one is shown at a time: on a phone, and while one is zoomed. */
interface Props {
  readonly panes: readonly { readonly key: string; readonly label: string; readonly isActive: boolean }[];
  readonly onGo: (key: string) => void;
  /** Shows all panes; null where there is no room for that. */
  readonly onShowAll: (() => void) | null;
}

export function PaneSwitch({ panes, onGo, onShowAll }: Props) {
  return (
    <div className="pane-switch" role="toolbar" aria-label="Panes">
      {panes.map(({ key, label, isActive }) => (
        <button
          key={key}
          type="button"
          className="button pane-choice"
          aria-pressed={isActive}
          onClick={() => onGo(key)}
        >
          {label}
        </button>
      ))}
      {onShowAll !== null && (
        <button type="button" className="button pane-all" onClick={onShowAll}>
          Show all panes
        </button>
      )}
    </div>
  );
}
