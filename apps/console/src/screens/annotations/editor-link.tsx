/** Owns opening a source line in the person's editor: which editor, where the project is on their machine, and the link. */
import { SquareArrowOutUpRight, Settings2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { EditorSettings } from './editor-settings.ts';
import { EDITORS, editorAddress, keepEditor, originOf, readEditor } from './editor-settings.ts';

/** The place in the code with a link into the editor, once the person has said where the project is. */
export function SourceLine({ place, url }: { readonly place: string; readonly url: string }) {
  const [settings, setSettings] = useState(readEditor);
  const [isAsking, setAsking] = useState(false);
  const address = editorAddress(settings, place, url);
  const title = EDITORS.find(({ value }) => value === settings.editor)?.label ?? 'the editor';
  return (
    <span className="row-wrap">
      <code>{place}</code>
      <CopyButton text={place} />
      {address === undefined ? (
        <Button size="s" icon={<SquareArrowOutUpRight />} onClick={() => setAsking(true)}>
          Open in editor
        </Button>
      ) : (
        <>
          <a className="button button-plain button-s" href={address}>
            <SquareArrowOutUpRight aria-hidden />
            Open in {title}
          </a>
          <IconButton
            size="s"
            label="Which editor, and where"
            icon={<Settings2 />}
            onClick={() => setAsking(true)}
          />
        </>
      )}
      {isAsking && (
        <EditorDialog
          settings={settings}
          origin={originOf(url)}
          onClose={() => setAsking(false)}
          onSaved={(next) => {
            keepEditor(next);
            setSettings(next);
            setAsking(false);
          }}
        />
      )}
    </span>
  );
}

interface EditorDialogProps {
  readonly settings: EditorSettings;
  readonly origin: string;
  readonly onClose: () => void;
  readonly onSaved: (settings: EditorSettings) => void;
}

function EditorDialog({ settings, origin, onClose, onSaved }: EditorDialogProps) {
  const [editor, setEditor] = useState(settings.editor);
  const [root, setRoot] = useState(settings.roots[origin] ?? '');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Open in your editor"
      description="Kept in this browser alone: the folder is one of your own machine."
      size="s"
      onSubmit={() => onSaved({ editor, roots: { ...settings.roots, [origin]: root.trim() } })}
      footer={
        <Button kind="primary" type="submit" disabled={root.trim() === ''}>
          Save
        </Button>
      }
    >
      <div className="stack">
        <Field label="Editor">
          <Select value={editor} onChange={setEditor} options={EDITORS} />
        </Field>
        <Field label="Folder of the project" hint={`Where the code of ${origin} is, such as /home/ada/shop`}>
          <Input value={root} onText={setRoot} maxLength={1000} autoFocus />
        </Field>
      </div>
    </Dialog>
  );
}
