/**
 * The panel of one tab: its terminal and the overlays on it. The terminal stays mounted while the connection comes and
 * goes.
 */
import { type CSSProperties, memo, type RefObject, useEffect, useRef } from 'react';
import type { Area } from '../tabs/pane-tree.ts';
import type { Tabs } from '../tabs/tabs.ts';
import type { TabView } from '../view/tab-view.ts';
import type { TerminalViews } from '../view/terminal-views.ts';
import { ConnectionOverlay } from './connection-overlay.tsx';
import { PanelBars } from './panel-bars.tsx';
import { StoppedBar } from './stopped-bar.tsx';

interface Props {
  readonly tab: TabView;
  /** Whether it shares its tab with others. */
  readonly isPane: boolean;
  readonly windowTabs: Tabs;
  readonly views: TerminalViews;
  readonly mayType: boolean;
}

export const TerminalPanel = memo(function TerminalPanel({ tab, isPane, windowTabs, views, mayType }: Props) {
  const { area, cover, isActive, key } = tab;
  const activate = () => windowTabs.activate(key);
  const host = useRef<HTMLDivElement>(null);
  const margin = useRef<HTMLDivElement>(null);
  useTerminalIn(host, margin, tab, views);
  const act = () => {
    if (cover.kind === 'stopped' && cover.action === 'Reload') location.reload();
    else windowTabs.flow(key)?.newShell();
    views.focus();
  };
  const dismiss = () => {
    windowTabs.notes.dismissLoss(key);
    views.focus();
  };
  const takeOver = () => {
    windowTabs.flow(key)?.session?.takeOver();
    views.focus();
  };
  const keyboard = (change: 'takeKeyboard' | 'handBackKeyboard') => () => {
    windowTabs.flow(key)?.session?.[change]();
    views.focus();
  };
  return (
    <div
      className="panel"
      role="tabpanel"
      id={`panel-${key}`}
      {...(isPane ? { 'aria-label': tab.name } : { 'aria-labelledby': `tab-${key}` })}
      data-pane={isPane ? (isActive ? 'active' : 'other') : undefined}
      style={area === null || !isPane ? undefined : styleOf(area)}
      hidden={area === null}
      onPointerDown={activate}
      onFocus={activate}
    >
      <div
        className="mark-margin"
        role="toolbar"
        aria-label="Commands"
        aria-orientation="vertical"
        ref={margin}
        hidden
      />
      <div className="terminal-host" ref={host} />
      <PanelBars
        tab={tab}
        onDismissLoss={dismiss}
        onTakeOver={mayType ? takeOver : null}
        onTakeKeyboard={mayType ? keyboard('takeKeyboard') : null}
        onHandBack={mayType ? keyboard('handBackKeyboard') : null}
      />
      {cover.kind === 'waiting' && <ConnectionOverlay {...cover} />}
      {cover.kind === 'stopped' && (
        <StoppedBar sentence={cover.sentence} action={cover.action} onAction={act} />
      )}
    </div>
  );
});

function styleOf({ left, top, width, height }: Area): CSSProperties {
  return { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` };
}

/**
 * Mounts the tab's terminal. Once mounted, a terminal stays. Hidden terminals are mounted after the active one, which
 * the user is waiting for.
 */
function useTerminalIn(
  host: RefObject<HTMLElement | null>,
  margin: RefObject<HTMLElement | null>,
  { area, key }: TabView,
  views: TerminalViews,
): void {
  const unmount = useRef<(() => void) | null>(null);
  const isShown = area !== null;
  useEffect(() => {
    const place = host.current;
    if (unmount.current !== null || place === null) return;
    const mount = () => {
      unmount.current = views.mount(key, place, margin.current);
    };
    if (isShown) return mount();
    const soon = setTimeout(mount, MOUNT_LATER_MS);
    return () => clearTimeout(soon);
  }, [host, margin, isShown, key, views]);
  useEffect(
    () => () => {
      unmount.current?.();
      unmount.current = null;
    },
    [],
  );
}

/** Later than the request for the active terminal, and well before anybody can click another tab. */
const MOUNT_LATER_MS = 30;
