/** The toolbar next to the tabs: find, sessions, share, another device, settings and the terminal menu. */
import {
  DevicesIcon,
  FindIcon,
  MoreIcon,
  SessionsIcon,
  SettingsIcon,
  ShareIcon,
} from '../elements/icons.tsx';

interface ToolsProps {
  readonly hasTerminal: boolean;
  /** False where the page has no login of its own to give on. */
  readonly hasLogin: boolean;
  /** Null for who may make no links. */
  readonly onShare: (() => void) | null;
  readonly onFind: () => void;
  readonly onOpen: (what: 'sessions' | 'device' | 'settings') => void;
  readonly onMenu: (at: { readonly x: number; readonly y: number }) => void;
}

export function Tools({ hasTerminal, hasLogin, onShare, onFind, onOpen, onMenu }: ToolsProps) {
  return (
    <div className="tools" role="toolbar" aria-label="Tools">
      <button
        type="button"
        className="icon-button tool-find"
        aria-label="Find"
        title="Find (Ctrl+Shift+F)"
        disabled={!hasTerminal}
        onClick={onFind}
      >
        <FindIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Sessions"
        title="Sessions (Alt+Shift+S)"
        onClick={() => onOpen('sessions')}
      >
        <SessionsIcon />
      </button>
      {onShare !== null && (
        <button
          type="button"
          className="icon-button tool-share"
          aria-label="Share"
          title="Share…"
          onClick={onShare}
        >
          <ShareIcon />
        </button>
      )}
      {hasLogin && (
        <button
          type="button"
          className="icon-button tool-device"
          aria-label="Continue on another device"
          title="Continue on another device"
          onClick={() => onOpen('device')}
        >
          <DevicesIcon />
        </button>
      )}
      <button
        type="button"
        className="icon-button"
        aria-label="Settings"
        title="Settings (Alt+Shift+,)"
        onClick={() => onOpen('settings')}
      >
        <SettingsIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Terminal actions"
        title="Terminal actions"
        aria-haspopup="menu"
        disabled={!hasTerminal}
        onClick={(event) => {
          const { right, bottom } = event.currentTarget.getBoundingClientRect();
          onMenu({ x: right, y: bottom + 4 });
        }}
      >
        <MoreIcon />
      </button>
    </div>
  );
}
