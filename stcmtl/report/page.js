// Figures are data blocks beside their places: this draws them when the page is there.
const spared = ["lasso2d", "select2d", "zoomIn2d", "zoomOut2d", "autoScale2d"];
const places = [...document.querySelectorAll("figure > .plot")];
for (const place of places) {
  const drawn = JSON.parse(place.nextElementSibling.textContent);
  // On a phone that has none of our fonts, notes would run off at the right.
  if (place.clientWidth < 480 && drawn.layout.title?.subtitle) {
    drawn.layout.title.subtitle.font.size = 11;
    drawn.layout.title.font = { size: 15 };
  }
  Plotly.newPlot(place, drawn.data, drawn.layout,
    { responsive: true, displaylogo: false, showSendToCloud: false, modeBarButtonsToRemove: spared });
}
const paper = 680;
addEventListener("beforeprint", () => places.forEach(p => Plotly.relayout(p, { width: paper })));
addEventListener("afterprint", () => places.forEach(p => Plotly.relayout(p, { width: null })));
