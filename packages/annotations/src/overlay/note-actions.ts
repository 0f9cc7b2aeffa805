/** Owns what a person does with notes: write, answer, close, copy, clear. */
import { detach } from '../detach.ts';
import type { Actions } from './actions.ts';
import { findBySelector } from './capture/selector.ts';
import { createClear } from './clear.ts';
import { notesAsMarkdown, writeClipboard } from './copy.ts';
import type { Modes } from './modes.ts';
import type { Scene } from './scene.ts';
import { localId } from './connection/state.ts';

type NoteActions = Omit<Actions, keyof Modes['actions']>;

/** Copies text and says how it went. */
export async function copyText({ root, toast }: Scene, text: string): Promise<boolean> {
  const isCopied = await writeClipboard(text, root.shelf);
  toast(isCopied ? 'Copied' : 'The page does not allow copying.');
  return isCopied;
}

/** The actions; each is a message to the server, kept until it is answered. */
export function createNoteActions(scene: Scene, modes: Modes): NoteActions {
  const { session, settings, root } = scene;
  const clear = createClear(session, scene.tab, scene.toast);
  const actions: NoteActions = {
    submit({ captured, wish }) {
      const clientId = crypto.randomUUID();
      const element = modes.picked() ?? findBySelector(captured.selector);
      if (element) scene.bindings.bind(localId(clientId), element);
      scene.tab.write('draft', undefined);
      scene.views().panels.close();
      scene.outlines.clear();
      session.send({ type: 'annotation:create', payload: { clientId, ...wish, ...captured } });
      root.say('Note added');
      modes.refresh();
    },
    reply: (id, message, reopen) =>
      session.send({ type: 'annotation:reply', payload: { id, message, ...(reopen && { reopen }) } }),
    reopen: (id) => session.send({ type: 'annotation:reopen', payload: { id } }),
    remove(id) {
      session.send({ type: 'annotation:delete', payload: { id } });
      modes.actions.back();
    },
    edit: (id, wish) => session.send({ type: 'annotation:edit', payload: { id, ...wish } }),
    answerDiff({ id, diffRevision = 1 }, isApproved, message) {
      const payload = { id, revision: diffRevision, ...(message !== '' && { message }) };
      session.send({ type: isApproved ? 'diff:approve' : 'diff:reject', payload });
      modes.actions.back();
    },
    copy(notes = scene.notesHere()) {
      const copying = copyText(scene, notesAsMarkdown(notes, settings.now().detail));
      const clearing = copying.then((isCopied) => {
        if (isCopied && settings.now().clearAfterCopy) actions.clear();
      });
      detach(clearing, reportError);
    },
    clear() {
      scene.views().panels.close();
      clear(scene.notesHere());
      modes.refresh();
    },
    setAutoApprove: session.setAutoApprove,
  };
  return actions;
}
