// placeholder removed when the first host file lands
namespace s3tug::host {}
