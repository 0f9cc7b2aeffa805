/** Owns editing JSON and code: the editor loads with the first screen that needs it. */
import { Suspense, lazy } from 'react';
import { loadCode } from '../api/load-code.ts';
import { Skeleton } from './states.tsx';

/** What an editor takes. */
export interface CodeEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language?: 'json' | 'javascript' | 'text';
  readonly label: string;
  /** Lines it shows at least. */
  readonly minLines?: number;
  readonly isReadOnly?: boolean;
  /** Ctrl or Cmd Enter. */
  readonly onSubmit?: () => void;
}

const Loaded = lazy(async () => ({
  default: (await loadCode(() => import('./code-editor-loaded.tsx'))).LoadedCodeEditor,
}));

/** An editor with colours, folding and faults marked. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton rows={props.minLines ?? 6} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
