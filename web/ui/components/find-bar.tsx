/** The find bar: searches the active terminal and its history. */
import { useEffect, useRef, useState } from 'react';
import { CloseIcon, DownIcon, UpIcon } from '../elements/icons.tsx';
import type { FoundText } from '../terminal/xterm-find.ts';
import type { XtermScreen } from '../terminal/xterm-screen.ts';

interface Props {
  readonly screen: XtermScreen;
  readonly onClose: () => void;
}

export function FindBar({ screen, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [caseSensitive, setCaseSensitive] = useState(false);
  const [regex, setRegex] = useState(false);
  const [found, setFound] = useState<FoundText | null>(null);
  const [isBroken, setBroken] = useState(false);

  useEffect(() => {
    field.current?.focus();
    screen.find.open(setFound);
    return () => screen.find.close();
  }, [screen]);

  useEffect(() => {
    screen.find.look(text, { caseSensitive, regex }).catch(() => setBroken(true));
  }, [screen, text, caseSensitive, regex]);

  const go = (isBack: boolean) =>
    isBack
      ? screen.find.previous(text, { caseSensitive, regex })
      : screen.find.next(text, { caseSensitive, regex });
  return (
    <search className="find-bar">
      <input
        ref={field}
        type="search"
        className="field"
        aria-label="Find in the terminal"
        placeholder="Find"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey);
          if (event.key === 'Escape') onClose();
        }}
      />
      <output className="find-count">{isBroken ? OUTDATED : countText(text, found)}</output>
      <Toggle label="Match case" short="Aa" isOn={caseSensitive} onToggle={setCaseSensitive} />
      <Toggle label="Regular expression" short=".*" isOn={regex} onToggle={setRegex} />
      <button type="button" className="icon-button" aria-label="Previous match" onClick={() => go(true)}>
        <UpIcon />
      </button>
      <button type="button" className="icon-button" aria-label="Next match" onClick={() => go(false)}>
        <DownIcon />
      </button>
      <button type="button" className="icon-button" aria-label="Close find" onClick={onClose}>
        <CloseIcon />
      </button>
    </search>
  );
}

const OUTDATED = 'Reload the page';

function countText(text: string, found: FoundText | null): string {
  if (text === '' || found === null) return '';
  if (found.count === 0) return 'No match';
  if (found.index > 0) return `${found.index} of ${found.count}`;
  return found.count === 1 ? '1 match' : `${found.count} matches`;
}

interface ToggleProps {
  readonly label: string;
  readonly short: string;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

function Toggle({ label, short, isOn, onToggle }: ToggleProps) {
  return (
    <button
      type="button"
      className="icon-button toggle"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      onClick={() => onToggle(!isOn)}
    >
      {short}
    </button>
  );
}
