/** The script of the pages: a vote without a reload, and similar posts while a title is typed. All works without it. */

/** What browsers load; it is small enough to be sent as it is written. */
export const SCRIPT = `
addEventListener('submit', async (event) => {
  const form = event.target;
  const button = event.submitter;
  // Without a token the next page asks for a name.
  if (!form.matches('.vote') || !form.elements.csrf || !button) return;
  event.preventDefault();
  if (button.disabled) return;
  const body = new URLSearchParams(new FormData(form, button));
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'application/json' } });
    if (!answer.ok) throw new Error(String(answer.status));
    const { voted, voteCount } = await answer.json();
    const label = button.getAttribute('aria-label');
    const title = label.replace(/^(Take back your vote for|Vote for) /, '').replace(/, \\d+ votes?$/, '');
    button.value = voted ? 'no' : 'yes';
    button.setAttribute('aria-pressed', String(voted));
    const verb = voted ? 'Take back your vote for' : 'Vote for';
    button.setAttribute('aria-label', verb + ' ' + title + ', ' + voteCount + (voteCount === 1 ? ' vote' : ' votes'));
    button.querySelector('span').textContent = voteCount;
    button.disabled = false;
    button.focus();
  } catch {
    // The plain form tells what is wrong.
    const field = document.createElement('input');
    Object.assign(field, { type: 'hidden', name: 'voted', value: button.value });
    form.append(field);
    form.submit();
  }
});
const similar = document.getElementById('similar');
const title = document.getElementById('title');
if (similar && title) {
  const form = title.form;
  const send = form.querySelector('.button');
  let waiting;
  let asked = title.value.trim();
  title.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const text = title.value.trim();
      if (text === asked) return;
      asked = text;
      try {
        const answer = await fetch(similar.dataset.from + '?' + new URLSearchParams({ title: text }));
        // The server has escaped every text in it; what was asked before is of no use any more.
        if (!answer.ok || asked !== text) return;
        similar.innerHTML = await answer.text();
        send.textContent = similar.childElementCount > 0 ? 'Post anyway' : 'Post it';
      } catch {
        // Then the form shows them when it is sent.
      }
    }, 250);
  });
}
`.trimStart();
