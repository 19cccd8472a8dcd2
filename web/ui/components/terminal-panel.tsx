/**
 * The panel of one tab: its terminal and the overlays on it. The terminal stays mounted while the connection comes and
 * goes.
 */
import { memo, useEffect, useRef } from 'react';
import type { Tabs } from '../tabs/tabs.ts';
import type { TabView } from '../view/tabs-view.ts';
import type { TerminalViews } from '../view/terminal-views.ts';
import { ConnectionOverlay } from './connection-overlay.tsx';
import { LossBar } from './loss-bar.tsx';
import { StoppedBar } from './stopped-bar.tsx';

interface Props {
  readonly tab: TabView;
  readonly windowTabs: Tabs;
  readonly views: TerminalViews;
  readonly mayType: boolean;
}

export const TerminalPanel = memo(function TerminalPanel({ tab, windowTabs, views, mayType }: Props) {
  const { cover, isActive, key } = tab;
  const host = useRef<HTMLDivElement>(null);
  const unmount = useRef<(() => void) | null>(null);

  useEffect(() => {
    const place = host.current;
    // Once mounted, a terminal stays. Hidden terminals are mounted after the active one, which the user is waiting for.
    if (unmount.current !== null || place === null) return;
    const mount = () => {
      unmount.current = views.mount(key, place);
    };
    if (isActive) return mount();
    const soon = setTimeout(mount, MOUNT_LATER_MS);
    return () => clearTimeout(soon);
  }, [isActive, key, views]);

  useEffect(
    () => () => {
      unmount.current?.();
      unmount.current = null;
    },
    [],
  );

  const act = () => {
    if (cover.kind === 'stopped' && cover.action === 'Reload') location.reload();
    else windowTabs.newShell(key);
    views.focus();
  };
  const dismiss = () => {
    windowTabs.dismissLoss(key);
    views.focus();
  };
  return (
    <div
      className="panel"
      role="tabpanel"
      id={`panel-${key}`}
      aria-labelledby={`tab-${key}`}
      hidden={!isActive}
    >
      <div className="terminal-host" ref={host} />
      <div className="panel-bars">
        <div role="status">
          {tab.late !== '' && (
            <p className="panel-bar">
              <span>
                {LATE[tab.lateFor].title} <code className="unsent">{tab.late}</code>
                <br />
                {LATE[tab.lateFor].why}
              </span>
            </p>
          )}
        </div>
        {tab.loss !== null && <LossBar {...tab.loss} onDismiss={dismiss} />}
        {tab.foreignSize !== null && (
          <div className="panel-bar">
            <span>
              Sized for another window: {tab.foreignSize.cols} × {tab.foreignSize.rows}
            </span>
            {mayType && (
              <button
                type="button"
                className="button"
                onClick={() => {
                  windowTabs.flow(key)?.session?.takeOver();
                  views.focus();
                }}
              >
                Take over
              </button>
            )}
          </div>
        )}
      </div>
      {cover.kind === 'waiting' && <ConnectionOverlay {...cover} />}
      {cover.kind === 'stopped' && (
        <StoppedBar sentence={cover.sentence} action={cover.action} onAction={act} />
      )}
    </div>
  );
});

/** What the panel says when input has not been taken. */
const LATE = {
  response: { title: 'Waiting for a response:', why: 'Checking the machine…' },
  program: { title: 'Waiting for the program:', why: 'It is not reading input.' },
  machine: { title: 'Waiting for the machine:', why: 'It is not responding.' },
} as const;

/** Later than the request for the active terminal, and well before anybody can click another tab. */
const MOUNT_LATER_MS = 30;
