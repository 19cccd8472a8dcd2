/**
 * The sessions panel: lists every session of the workspace with its program, its viewers and when it expires, and lets
 * the user open, rename or end it.
 */
import { useCallback, useEffect, useState } from 'react';
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { NAME_MAX_CHARS } from '../../../protocol/limits.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { MutedSessions } from '../attention/muted-sessions.ts';
import { Dialog } from '../elements/dialog.tsx';
import type { PushSwitch } from '../push/push-switch.ts';
import type { SettingsStore } from '../settings/settings.ts';
import type { Tabs } from '../tabs/tabs.ts';
import { agentTrouble } from '../text/agent-trouble.ts';
import { byAttention } from '../text/attention-text.ts';
import { type SessionRow, sessionRow } from '../view/session-row.ts';

export interface SessionsPanelProps {
  readonly client: WorkspaceClient;
  readonly windowTabs: Tabs;
  readonly workspace: string;
  readonly settings: SettingsStore;
  /** Null where the page has no login of its own. */
  readonly push: PushSwitch | null;
  /** Null for who may make no links. */
  readonly onShare: ((session: string) => void) | null;
  readonly onClose: () => void;
}

/** How often the list is reloaded while the panel is open, which is never long. */
const REFRESH_EVERY_MS = 4_000;
const TICK_MS = 1_000;

export function SessionsPanel(props: SessionsPanelProps) {
  const { client, push, windowTabs, workspace, settings, onShare, onClose } = props;
  const { now, reload, sessions, trouble } = useSessions(client);
  const agent = client.state.name === 'live' ? client.state.agent : null;
  const graceMs = agent?.graceMs;
  const troubleThere = agent === null ? '' : agentTrouble(agent);
  const own = new Set(windowTabs.list.tabs.flatMap(({ session }) => session ?? []));
  const muted = new MutedSessions(localStorage, workspace);
  const isNotified = settings.current.notifications || push?.state.name === 'on';
  const [, redraw] = useState(0);
  return (
    <Dialog kind="side" title="Sessions" onClose={onClose}>
      {trouble !== null && <p role="status">{trouble}</p>}
      {troubleThere !== '' && <p role="status">{troubleThere}</p>}
      {sessions?.length === 0 && <p>This workspace has no sessions.</p>}
      <ul className="sessions" aria-label="Sessions">
        {sessions?.toSorted(byAttention).map((session) => (
          <Row
            key={session.id}
            row={sessionRow(session, { now, graceMs, own, people: client.people.of(session.id) })}
            isOwn={own.has(session.id)}
            mayChange={windowTabs.mayManage}
            onShare={onShare && (() => onShare(session.id))}
            isMuted={isNotified ? muted.has(session.id) : null}
            onMute={(isMuted) => {
              muted.change(session.id, isMuted);
              void push?.mutesChanged();
              redraw((count) => count + 1);
            }}
            onOpen={() => {
              windowTabs.open(session);
              onClose();
            }}
            onRename={(name) => {
              client.rename(session.id, name);
              reload();
            }}
            onEnd={() => void client.close(session.id).then(reload, reload)}
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface RowProps {
  readonly row: SessionRow;
  readonly isOwn: boolean;
  readonly mayChange: boolean;
  /** Null where nobody is notified. */
  readonly isMuted: boolean | null;
  readonly onMute: (isMuted: boolean) => void;
  readonly onShare: (() => void) | null;
  readonly onOpen: () => void;
  readonly onRename: (name: string) => void;
  readonly onEnd: () => void;
}

function Row({ row, isOwn, mayChange, isMuted, onMute, onShare, onOpen, onRename, onEnd }: RowProps) {
  const [mode, setMode] = useState<'shown' | 'renaming' | 'ending'>('shown');
  const back = () => setMode('shown');
  return (
    <li className="session" data-status={row.status} data-attention={row.wants ?? undefined}>
      {mode === 'renaming' ? (
        <NameField
          name={row.name}
          onDone={(name) => {
            if (name !== null) onRename(name);
            back();
          }}
        />
      ) : (
        <h3 className="session-name">{row.name}</h3>
      )}
      {row.attention !== '' && <p className="session-attention">{row.attention}</p>}
      <p className="session-what">
        {row.what}
        {row.where !== '' && <span className="session-where"> {row.where}</span>}
      </p>
      <p className="session-facts">
        {[`${row.age} old`, row.watched, row.expires].filter(Boolean).join(' · ')}
      </p>
      {row.people !== '' && <p className="session-facts session-people">{row.people}</p>}
      {row.typed !== '' && <p className="session-facts session-typed">{row.typed}</p>}
      {mode === 'ending' ? (
        <div className="session-ending">
          <p>End this session and everything in it?</p>
          <button type="button" className="button" onClick={back}>
            Keep
          </button>
          <button type="button" className="button button-danger" onClick={onEnd}>
            End
          </button>
        </div>
      ) : (
        <div className="session-buttons">
          <button
            type="button"
            className="button"
            onClick={onOpen}
            aria-label={`${isOwn ? 'Go to' : 'Open'} ${row.name}`}
          >
            {isOwn ? 'Go to' : 'Open'}
          </button>
          {mayChange && row.status === 'running' && (
            <button
              type="button"
              className="button"
              onClick={() => setMode('renaming')}
              aria-label={`Rename ${row.name}`}
            >
              Rename
            </button>
          )}
          {onShare !== null && row.status === 'running' && (
            <button type="button" className="button" onClick={onShare} aria-label={`Share ${row.name}`}>
              Share…
            </button>
          )}
          {isMuted !== null && <MuteButton name={row.name} isMuted={isMuted} onMute={onMute} />}
          {mayChange && (
            <button
              type="button"
              className="button"
              // Nothing runs in an ended session, so no confirmation is needed.
              onClick={row.status === 'running' ? () => setMode('ending') : onEnd}
              aria-label={`${row.status === 'running' ? 'End' : 'Remove'} ${row.name}`}
            >
              {row.status === 'running' ? 'End' : 'Remove'}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

interface MuteProps extends Pick<RowProps, 'onMute'> {
  readonly name: string;
  readonly isMuted: boolean;
}

function MuteButton({ name, isMuted, onMute }: MuteProps) {
  return (
    <button
      type="button"
      className="button"
      aria-pressed={isMuted}
      aria-label={`Mute ${name}`}
      title="No notifications of this session in this browser"
      onClick={() => onMute(!isMuted)}
    >
      {isMuted ? 'Muted' : 'Mute'}
    </button>
  );
}

function NameField({
  name,
  onDone,
}: {
  readonly name: string;
  readonly onDone: (name: string | null) => void;
}) {
  return (
    <input
      className="field"
      aria-label={`New name of ${name}`}
      defaultValue={name}
      maxLength={NAME_MAX_CHARS}
      ref={(field) => field?.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onDone(event.currentTarget.value.trim() || null);
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onDone(null);
        }
      }}
      onBlur={(event) => onDone(event.currentTarget.value.trim() || null)}
    />
  );
}

interface Listed {
  readonly sessions: readonly SessionInfo[] | null;
  readonly trouble: string | null;
  readonly now: Date;
  readonly reload: () => void;
}

function useSessions(client: WorkspaceClient): Listed {
  const [sessions, setSessions] = useState<readonly SessionInfo[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [now, setNow] = useState(() => new Date());
  const load = useCallback(async () => {
    try {
      // The agent refreshes what changes by itself. While it is offline, the registry still has the rest.
      await client.refresh().catch(() => {});
      setSessions(await client.list());
      setTrouble(null);
    } catch {
      setTrouble('The list is unavailable while the connection is down.');
    }
  }, [client]);
  useEffect(() => {
    void load();
    const again = setInterval(load, REFRESH_EVERY_MS);
    const tick = setInterval(() => setNow(new Date()), TICK_MS);
    const stop = client.onNews(() => void load());
    const stopPeople = client.onChange(({ of }) => of === 'people' && setNow(new Date()));
    return () => {
      clearInterval(again);
      clearInterval(tick);
      stop();
      stopPeople();
    };
  }, [client, load]);
  return { sessions, trouble, now, reload: () => void load() };
}
