/// How a viewer is to show that a row comes or goes (design rule F2).
///
/// A hint is part of a command and of its diff. It is no state: a table does not keep it, it is not in
/// the digest, and a viewer that animates nothing shows the same table.
public enum AnimationHint: String, Sendable, CaseIterable {
    /// As the viewer sees fit.
    case automatic
    /// The row appears or disappears where it stands.
    case fade
    /// It comes from the left, or goes there.
    case left
    /// It comes from the right, or goes there.
    case right
    /// It comes from above, or goes there.
    case top
    /// It comes from below, or goes there.
    case bottom
    /// It is there, or gone, at once.
    case none
}
