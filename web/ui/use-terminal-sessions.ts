/** The terminals of a window, for React: loads the tabs on mount, keeps them, and says what to draw. [P16] */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import { randomId } from './connection/random-id.ts';
import type { SettingsStore } from './settings/settings.ts';
import { Desk } from './tabs/desk.ts';
import { TabMemory } from './tabs/tab-memory.ts';
import { type DeskView, deskView } from './view/desk-view.ts';
import { Stage } from './view/stage.ts';

export interface TerminalSessionsOptions {
  readonly client: WorkspaceClient;
  readonly workspace: string;
  readonly clock: Clock;
  readonly settings: SettingsStore;
  /** Draws with elements only, which a test or a program for the blind can read. */
  readonly mayUseWebgl: boolean;
}

export interface TerminalSessions {
  readonly desk: Desk;
  readonly stage: Stage;
  readonly view: DeskView;
}

export function useTerminalSessions(options: TerminalSessionsOptions): TerminalSessions {
  const { client, clock, mayUseWebgl, settings, workspace } = options;
  const { desk, stage } = useMemo(() => {
    const memory = new TabMemory(sessionStorage, workspace);
    const closesOnExit = () => settings.current.closeOnExit;
    const desk = new Desk({ client, memory, clock, newKey: randomId, closesOnExit });
    return {
      desk,
      stage: new Stage({ desk, settings, mayUseWebgl, tellTheme: (theme) => client.setTheme(theme) }),
    };
  }, [client, clock, mayUseWebgl, settings, workspace]);

  useEffect(() => {
    desk.start();
    return () => desk.stop();
  }, [desk]);

  const last = useRef<{ readonly text: string; readonly view: DeskView }>(null);
  const subscribe = useMemo(
    () => (changed: () => void) => {
      const stops = [desk.onChange(changed), stage.onChange(changed)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [desk, stage],
  );
  const view = useSyncExternalStore(subscribe, () => {
    const next = deskView(client, desk, stage, new Date());
    // The client reports every acknowledged key; what looks the same is not drawn again.
    const text = JSON.stringify(next);
    if (last.current?.text !== text) last.current = { text, view: next };
    return last.current.view;
  });
  return { desk, stage, view };
}
