/** Owns the editor itself: CodeMirror in a shadow root, because its styles would break the page's policy elsewhere. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  HighlightStyle,
  LanguageSupport,
  bracketMatching,
  foldGutter,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { EditorView, drawSelection, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { detach } from '../detach.ts';
import type { CodeEditorProps } from './code-editor.tsx';
import './code-editor.css';

const LINE_PX = 20;

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: `${LINE_PX}px`,
    overflow: 'auto',
    maxHeight: '60vh',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-faint)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--border)',
    color: 'var(--text)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--active)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--accent-text)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--green-text)' },
  { tag: tags.number, color: 'var(--blue-text)' },
  { tag: [tags.bool, tags.null, tags.keyword, tags.operatorKeyword], color: 'var(--amber-text)' },
  { tag: tags.comment, color: 'var(--text-faint)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--red-text)' },
]);

function languageOf(language: CodeEditorProps['language']): Extension {
  return language === 'json' ? [json(), linter(jsonParseLinter())] : [];
}

/** The parser of JavaScript is as large as the rest of the editor, and few edit it. */
async function addJavaScript(editor: EditorView, part: Compartment): Promise<void> {
  const { javascriptLanguage } = await import('@codemirror/lang-javascript');
  editor.dispatch({ effects: part.reconfigure(new LanguageSupport(javascriptLanguage)) });
}

/** The editor; changes from outside replace the text, its own do not move the cursor. */
export function LoadedCodeEditor(props: CodeEditorProps) {
  const { value, language = 'json', label, minLines = 6, isReadOnly } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const part = new Compartment();
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          syntaxHighlighting(colours),
          part.of(languageOf(language)),
          theme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(isReadOnly === true),
          keymap.of([
            {
              key: 'Mod-Enter',
              run: () => {
                latest.current.onSubmit?.();
                return latest.current.onSubmit !== undefined;
              },
            },
            // Tab indents; Escape and then Tab leaves, so that the keyboard is not caught.
            indentWithTab,
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (language === 'javascript') detach(addJavaScript(editor, part), reportError);
    return () => editor.destroy();
  }, [language, label, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div className="code-editor" ref={host} style={{ minHeight: minLines * LINE_PX + 14 }} />;
}
