/** One tea with its price and the button that orders it. */
export function Tea({ name, origin, price }) {
  return (
    <article>
      <h2>{name}</h2>
      <p>{origin}</p>
      <p className="price">€ {price}</p>
      <button type="button">Add to baskte</button>
    </article>
  );
}
