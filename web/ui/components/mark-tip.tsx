/** What is told of a command: its text, how it ended and when it ran. */
import { useLayoutEffect, useRef } from 'react';
import { MARK_TIP_ID } from '../terminal/marks/mark-margin.ts';
import type { CommandTip } from '../view/command-marks.ts';

export function MarkTip({ title, details, at }: CommandTip) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = tip.current;
    if (element === null) return;
    // Kept inside the window.
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(at.x + 4, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`;
  }, [at]);
  return (
    <div ref={tip} className="mark-tip" role="tooltip" id={MARK_TIP_ID}>
      <MarkHeading title={title} details={details} />
    </div>
  );
}

export function MarkHeading({ title, details }: Pick<CommandTip, 'title' | 'details'>) {
  return (
    <div className="mark-heading">
      <code>{title}</code>
      <span>{details}</span>
    </div>
  );
}
