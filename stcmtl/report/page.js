// Figures are data blocks beside their places: this draws them when the page is there.
const places = [...document.querySelectorAll("figure > .plot")];
for (const place of places) {
  const drawn = JSON.parse(place.nextElementSibling.textContent);
  Plotly.newPlot(place, drawn.data, drawn.layout,
    { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] });
}
const paper = 680;
addEventListener("beforeprint", () => places.forEach(p => Plotly.relayout(p, { width: paper })));
addEventListener("afterprint", () => places.forEach(p => Plotly.relayout(p, { width: null })));
